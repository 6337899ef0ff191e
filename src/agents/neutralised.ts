// A short foreign text that no format of calls or turns can be read out of. Knows no run.
import { neutralise } from "../formats/rendering/neutralise.ts";
import { MARKS } from "./mendHistory.ts";

export function neutralised(text: string): string {
  return neutralise(text, MARKS);
}
