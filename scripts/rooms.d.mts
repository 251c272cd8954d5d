interface RoomTable {
  readonly machine: readonly string[];
  readonly rooms: readonly { readonly name: string; readonly what: string; readonly imports: readonly string[] }[];
}
export function readRooms(): RoomTable;
export function withRoomList(page: string, table: RoomTable): string;
export function floorsOf(table: Pick<RoomTable, "rooms">): Map<string, number>;
export function picture(table: RoomTable): string;
