// Names of UTF-16 codes and of groups of them.

export const NEWLINE = 10;
export const RETURN = 13;
export const SPACE = 32;
export const QUOTE = 34;
export const HASH = 35;
export const APOSTROPHE = 39;
export const OPEN_ROUND = 40;
export const CLOSE_ROUND = 41;
export const ASTERISK = 42;
export const COMMA = 44;
export const MINUS = 45;
export const DOT = 46;
export const SLASH = 47;
export const COLON = 58;
export const SEMICOLON = 59;
export const LESS_THAN = 60;
export const EQUALS = 61;
export const GREATER_THAN = 62;
export const OPEN_BRACKET = 91;
export const BACKSLASH = 92;
export const CLOSE_BRACKET = 93;
export const UNDERSCORE = 95;
export const BACKTICK = 96;
export const LOWER_C = 99;
export const OPEN_BRACE = 123;
export const CLOSE_BRACE = 125;
export const TILDE = 126;

const CAPITALS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
export const LETTERS = CAPITALS + CAPITALS.toLowerCase();
export const DIGITS = "0123456789";
