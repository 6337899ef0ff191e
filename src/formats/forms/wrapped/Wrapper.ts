// How a block was opened: what everything that reads its body needs to know of its mark.
import type { WrapperRow } from "../../families/tables.ts";
import type { Tag } from "../../text/Tag.ts";

export interface Wrapper {
  readonly row: WrapperRow;
  /** The mark as it stands at the cursor. */
  readonly raw: string;
  readonly tag?: Tag | undefined;
  /** Every tag of the body is preceded by the lead token. */
  readonly lead?: boolean | undefined;
}
