// Near misses of exactly one offered tool resolve; anything else is unknown.
import { describe, expect, it } from "@jest/globals";
import { OfferedNames } from "../../../../src/formats/validation/resolveToolName.ts";

const offered = new OfferedNames([
  "get_weather",
  "math.factorial",
  "send_mail",
  "fs.read",
  "Roll-Dice",
  "a_b",
  "a-b",
  "k",
]);

describe("a misspelt name", () => {
  it.each<[string, string, string[]]>([
    ["get_weather", "get_weather", []],
    ["GET_WEATHER", "get_weather", ["name-case"]],
    ["get-weather", "get_weather", ["name-spelling"]],
    ["getWeather", "get_weather", ["name-spelling"]],
    ["math_factorial", "math.factorial", ["name-spelling"]],
    ["get\\_weather", "get_weather", ["name-junk"]],
    ["`get_weather`", "get_weather", ["name-junk"]],
    ["**get_weather**", "get_weather", ["name-junk"]],
    ["get_weather()", "get_weather", ["name-junk"]],
    ["get_weather:0", "get_weather", ["name-junk"]],
    ["get_weather<|channel|>commentary", "get_weather", ["name-junk"]],
    ["functions.get_weather", "get_weather", ["name-prefix"]],
    ["functions.get_weather:3", "get_weather", ["name-junk", "name-prefix"]],
    ["default_api.fs.read", "fs.read", ["name-prefix"]],
    ["mcp__home__get_weather", "get_weather", ["name-prefix"]],
    ["get_weather.get_weather", "get_weather", ["name-prefix"]],
    ["roll_dice", "Roll-Dice", ["name-spelling"]],
    ["a-b", "a-b", []],
  ])("%j means %s", (written, name, repairs) => expect(offered.resolve(written)).toEqual({ name, repairs }));

  it.each([
    ["two tools fit", "A_B"],
    ["one letter is wrong", "get_wether"],
    ["a look-alike letter", "ѕend_mail"],
    ["a letter that folds to an ASCII one", "\u212a"],
    ["a full-width letter", "ｋ"],
    ["a NUL", "send_mail\u0000read"],
    ["a zero-width space", "send\u200b_mail"],
    ["invisible tag characters", "\udb40\udc73\udb40\udc65"],
    ["a header line", "send_mail\r\nX-Approved: true"],
    ["a path step", "mcp__safe__../mcp__admin__send_mail"],
    ["a built-in property", "constructor"],
    ["the prototype", "__proto__"],
    ["a part of an offered name", "read"],
    ["nothing", ""],
    ["a very long name", "functions.".repeat(1000)],
  ])("is unknown where %s: %j", (_, written) => expect(offered.resolve(written)).toBeUndefined());
});
