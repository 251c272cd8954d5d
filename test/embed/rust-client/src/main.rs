//! A client with tendermint-rpc, on which cosmrs and Hermes are built: reads the events and every response of a node.
//!
//! usage: rust-client ws://HOST:PORT/websocket TX-IN-HEX
//!
//! Prints `subscribed`, then waits for a block without transactions; sends the transaction, prints `sent`, and waits for
//! a block with it. Every response that cannot be parsed ends the program with status 1 and the name of the call.

use futures::StreamExt;
use std::{fmt::Debug, future::Future, time::Duration};
use tendermint_rpc::{
    client::CompatMode,
    event::{Event, EventData},
    query::{EventType, Query},
    Client, Order, Paging, Subscription, SubscriptionClient, WebSocketClient,
};

type Failure = Box<dyn std::error::Error>;

const WAIT: Duration = Duration::from_secs(60);

async fn call<T, E: Debug>(name: &str, response: impl Future<Output = Result<T, E>>) -> Result<T, Failure> {
    match tokio::time::timeout(WAIT, response).await {
        Ok(Ok(value)) => {
            println!("ok {name}");
            Ok(value)
        }
        Ok(Err(error)) => Err(format!("{name}: {error:?}").into()),
        Err(_) => Err(format!("{name}: no response").into()),
    }
}

async fn next(name: &str, events: &mut Subscription) -> Result<Event, Failure> {
    match tokio::time::timeout(WAIT, events.next()).await {
        Ok(Some(Ok(event))) => {
            println!("ok event {name}");
            Ok(event)
        }
        Ok(Some(Err(error))) => Err(format!("event {name}: {error:?}").into()),
        Ok(None) => Err(format!("event {name}: the subscription ended").into()),
        Err(_) => Err(format!("event {name}: none came that can be parsed").into()),
    }
}

/// Waits for a block with this number of transactions.
async fn block_of(count: usize, events: &mut Subscription) -> Result<(), Failure> {
    match next(&format!("NewBlock with {count} transactions"), events).await?.data {
        EventData::NewBlock { block: Some(block), result_finalize_block: Some(result), .. } => {
            assert_eq!((block.data.len(), result.tx_results.len()), (count, count));
            assert!(!result.app_hash.as_bytes().is_empty());
            Ok(())
        }
        other => Err(format!("event NewBlock: {other:?}").into()),
    }
}

async fn run(url: &str, tx: Vec<u8>) -> Result<(), Failure> {
    let address = url.try_into().map_err(|error| format!("{url}: {error:?}"))?;
    let opening = WebSocketClient::builder(address).compat_mode(CompatMode::V0_38).build();
    let (client, driver) = call("connect", opening).await?;
    tokio::spawn(driver.run());
    let mut blocks = call("subscribe NewBlock", client.subscribe(EventType::NewBlock.into())).await?;
    let mut txs = call("subscribe Tx", client.subscribe(EventType::Tx.into())).await?;
    println!("subscribed");
    block_of(0, &mut blocks).await?;

    let sent = call("broadcast_tx_sync", client.broadcast_tx_sync(tx)).await?;
    println!("sent");
    block_of(1, &mut blocks).await?;
    let EventData::Tx { tx_result } = next("Tx", &mut txs).await?.data else {
        return Err("event Tx: another type".into());
    };

    let status = call("status", client.status()).await?;
    let height = status.sync_info.latest_block_height;
    assert_eq!(i64::from(height), tx_result.height);
    let by_height = call("block", client.block(height)).await?;
    let hash = by_height.block_id.hash;
    let query = Query::eq("tx.height", i64::from(height));
    call("health", client.health()).await?;
    call("net_info", client.net_info()).await?;
    call("abci_info", client.abci_info()).await?;
    let path = || Some("/store/bank/key".to_owned());
    call("abci_query", client.abci_query(path(), vec![2], None, false)).await?;
    call("abci_query with proof", client.abci_query(Some("/store/acc/key".to_owned()), vec![2], None, true)).await?;
    call("latest_block", client.latest_block()).await?;
    call("block_by_hash", client.block_by_hash(hash)).await?;
    call("header", client.header(height)).await?;
    call("header_by_hash", client.header_by_hash(hash)).await?;
    call("blockchain", client.blockchain(1u32, height.value() as u32)).await?;
    call("block_results with a transaction", client.block_results(height)).await?;
    call("block_results without", client.block_results(height.value() as u32 - 1)).await?;
    call("block_search", client.block_search(Query::eq("block.height", i64::from(height)), 1, 10, Order::Ascending))
        .await?;
    call("commit", client.commit(height)).await?;
    call("latest_commit", client.latest_commit()).await?;
    call("consensus_params", client.consensus_params(height)).await?;
    call("latest_consensus_params", client.latest_consensus_params()).await?;
    call("consensus_state", client.consensus_state()).await?;
    call("validators", client.validators(height, Paging::All)).await?;
    call("genesis", client.genesis::<serde_json::Value>()).await?;
    call("genesis_chunked", client.genesis_chunked(0)).await?;
    call("tx", client.tx(sent.hash, false)).await?;
    let proven = call("tx with proof", client.tx(sent.hash, true)).await?;
    assert!(proven.proof.is_some());
    let found = call("tx_search", client.tx_search(query, true, 1, 10, Order::Descending)).await?;
    assert_eq!(found.total_count, 1);
    let refused = client.broadcast_tx_commit(vec![1u8]).await;
    let checked = call("broadcast_tx_commit of a wrong transaction", async { refused }).await?;
    assert!(checked.check_tx.code.is_err());
    call("broadcast_tx_async", client.broadcast_tx_async(vec![1u8])).await?;
    Ok(())
}

fn from_hex(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).expect("hex")).collect()
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let words: Vec<String> = std::env::args().collect();
    if let Err(failure) = run(&words[1], from_hex(&words[2])).await {
        eprintln!("{failure}");
        std::process::exit(1);
    }
    println!("done");
}
