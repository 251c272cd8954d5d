/**
 * The page inside another site, by one script tag:
 *
 *     <script src="https://NODE/embed.js" data-rpc="https://RPC" data-trust="HEIGHT:HASH"></script>
 *
 * It puts an iframe after the tag, or into the element that `data-into` names (a CSS selector), as high as its content.
 */
const HEIGHT_MAX = 20_000;

const tag = document.currentScript;
if (tag instanceof HTMLScriptElement) embed(tag);

function embed(script: HTMLScriptElement): void {
  const { rpc, api, plan, trust, into, title } = script.dataset;
  const page = new URL(".", script.src);
  for (const [name, value] of Object.entries({ rpc, api, plan })) if (value) page.searchParams.set(name, value);
  if (trust) page.hash = `trust=${trust}`;
  const frame = document.createElement("iframe");
  frame.src = page.href;
  frame.title = title ?? "Upgrade status";
  frame.style.cssText = "width:100%;height:40rem;border:0;color-scheme:normal";
  frame.sandbox.add("allow-scripts", "allow-same-origin", "allow-downloads", "allow-forms");
  const place = into ? document.querySelector(into) : undefined;
  if (place) place.append(frame);
  else script.after(frame);
  addEventListener(
    "message",
    ({ source, data }: MessageEvent<{ readonly chainUpgradeHeight?: unknown } | undefined>) => {
      const height = data?.chainUpgradeHeight;
      if (source !== frame.contentWindow || typeof height !== "number" || !(height > 0)) return;
      frame.style.height = `${Math.min(Math.ceil(height), HEIGHT_MAX)}px`;
    },
  );
}
