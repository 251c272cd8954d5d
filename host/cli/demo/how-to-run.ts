/** The words that start the demonstration, before its flags. */
export const HOW_TO_RUN = process.env["npm_lifecycle_event"] === "start" ? "npm start --" : "npx chaind demo";
