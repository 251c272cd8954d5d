/** The names of Cosmovisor's time formats of logs, each with Go's layout of it. */

export const TIME_FORMATS = {
  layout: "01/02 03:04:05PM '06 -0700",
  ansic: "Mon Jan _2 15:04:05 2006",
  unixdate: "Mon Jan _2 15:04:05 MST 2006",
  rubydate: "Mon Jan 02 15:04:05 -0700 2006",
  rfc822: "02 Jan 06 15:04 MST",
  rfc822z: "02 Jan 06 15:04 -0700",
  rfc850: "Monday, 02-Jan-06 15:04:05 MST",
  rfc1123: "Mon, 02 Jan 2006 15:04:05 MST",
  rfc1123z: "Mon, 02 Jan 2006 15:04:05 -0700",
  rfc3339: "2006-01-02T15:04:05Z07:00",
  rfc3339nano: "2006-01-02T15:04:05.999999999Z07:00",
  kitchen: "3:04PM",
} as const;

export type TimeFormat = keyof typeof TIME_FORMATS;

export function isTimeFormat(name: string): name is TimeFormat {
  return Object.hasOwn(TIME_FORMATS, name);
}
