/** A moment in one of Go's layouts of a time, as far as the names in settings/time-formats.ts need. Local time. */

const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"] as const;
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"] as const;
const TOKEN = /Monday|Mon|Jan|2006|Z07:00|-0700|MST|\.999999999|_2|PM|0[1-6]|15|3/g;

const two = (value: number, fill = "0") => String(value).padStart(2, fill);

/**
 * @example
 * console.log(inGoLayout(new Date(2026, 0, 2, 15, 4), "3:04PM")); // → 3:04PM
 */
export function inGoLayout(time: Date, layout: string): string {
  const hour = time.getHours() % 12 || 12;
  const values: Readonly<Record<string, () => string>> = {
    Monday: () => DAYS[time.getDay()] ?? "",
    Mon: () => (DAYS[time.getDay()] ?? "").slice(0, 3),
    Jan: () => MONTHS[time.getMonth()] ?? "",
    "2006": () => String(time.getFullYear()),
    "06": () => two(time.getFullYear() % 100),
    "01": () => two(time.getMonth() + 1),
    "02": () => two(time.getDate()),
    _2: () => two(time.getDate(), " "),
    "15": () => two(time.getHours()),
    "03": () => two(hour),
    "3": () => String(hour),
    "04": () => two(time.getMinutes()),
    "05": () => two(time.getSeconds()),
    PM: () => (time.getHours() < 12 ? "AM" : "PM"),
    ".999999999": () => `.${String(time.getMilliseconds()).padStart(3, "0")}`.replace(/\.?0+$/, ""),
    "-0700": () => zone(time, ""),
    "Z07:00": () => (time.getTimezoneOffset() === 0 ? "Z" : zone(time, ":")),
    MST: () => (time.getTimezoneOffset() === 0 ? "UTC" : zone(time, "")),
  };
  return layout.replace(TOKEN, (token) => values[token]?.() ?? token);
}

function zone(time: Date, between: string): string {
  const minutes = -time.getTimezoneOffset();
  const size = Math.abs(minutes);
  return `${minutes < 0 ? "-" : "+"}${two(Math.floor(size / 60))}${between}${two(size % 60)}`;
}
