// The word that stands for a value wherever a call's form is shown. Shown by rendering, refused by fitting; knows no format.

/** No argument is ever this text: an answer that repeats a form that it was shown is no call. */
export const PLACEHOLDER = "<value>";
