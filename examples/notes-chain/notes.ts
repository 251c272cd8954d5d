/** Module notes: every account may write notes on the chain. Version 2 keeps how many notes an author has. */
import { implement, layoutOf, type Module, messageKind, moduleGenesis, records, TxError } from "chain-upgrade/node";
import { CountSchema, MsgAddNoteResponseSchema, MsgAddNoteSchema, NoteSchema, Query } from "./gen/notes_pb.js";

const TEXT_LENGTH_MAX = 280;

/** By author and number. */
const NOTES = records("note", NoteSchema);
/** By author; since version 2. */
const COUNTS = records("count", CountSchema);

const addNote = messageKind({
  schema: MsgAddNoteSchema,
  response: MsgAddNoteResponseSchema,
  signer: "author",
  run(context, { author, text }) {
    if (text === "" || text.length > TEXT_LENGTH_MAX) {
      throw new TxError({ codespace: "notes", code: 2, text: `a note has 1 to ${TEXT_LENGTH_MAX} characters` });
    }
    const store = context.store("notes");
    const isCounted = layoutOf(context.version, "notes") >= 2n;
    const before = isCounted ? (COUNTS.get(store, author)?.notes ?? 0n) : NOTES.count(store, author);
    const number = before + 1n;
    NOTES.set(store, [author, number], { author, number, text });
    if (isCounted) COUNTS.set(store, [author], { notes: number });
    context.emit("add_note", ["author", author], ["number", String(number)]);
    return { number };
  },
});

const query = implement(Query, ["notes"], {
  notes({ author }, { stores }) {
    const notes = [...NOTES.values(stores.store("notes"), ...(author === "" ? [] : [author]))];
    return { notes, total: BigInt(notes.length) };
  },
});

export const notes: Module = {
  name: "notes",
  consensusVersion: 2n,
  messages: [addNote],
  queries: [query],
  migrations: {
    1: (context) => {
      const store = context.store("notes");
      for (const { author, number } of NOTES.values(store)) COUNTS.set(store, [author], { notes: number });
    },
  },
  invariants: [
    {
      name: "every note is counted",
      check(stores) {
        const store = stores.store("notes");
        let counted = 0n;
        for (const count of COUNTS.values(store)) counted += count.notes;
        const written = NOTES.count(store);
        return counted === written ? undefined : `${counted} notes are counted, and ${written} are in the store`;
      },
    },
  ],
  genesis: moduleGenesis({
    read: ({ json }) =>
      json
        .get("notes")
        .items()
        .map((note) => ({
          author: note.get("author").text(),
          number: note.get("number").uint64(),
          text: note.get("text").text(),
        })),
    init(context, written) {
      const store = context.store("notes");
      for (const note of written) {
        NOTES.set(store, [note.author, note.number], note);
        if (layoutOf(context.version, "notes") >= 2n) COUNTS.set(store, [note.author], { notes: note.number });
      }
    },
    *export({ view }) {
      yield JSON.stringify({ notes: [...NOTES.json(view.store("notes"))] });
    },
  }),
};
