// Asks the user to fill in a server's form, field by field. Sends nothing.
import { fitAnswer } from "../../agents/calls/revalidateCall.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/messages.ts";
import type { Decision, InterruptRecord } from "../../core/runs/interrupts.ts";
import { formatJson } from "../output/prettyJson.ts";
import type { Prompter } from "./Prompter.ts";

export interface WaitingForm {
  readonly interrupt: InterruptRecord;
  /** JSON Schema of the answer. */
  readonly form: JsonObject;
  /** Position among several. */
  readonly location: string;
}

/** Resolves with undefined if the user leaves. An invalid answer is asked again, with the reason. */
export async function fillForm(
  { interrupt, form, location }: WaitingForm,
  person: Prompter,
): Promise<Decision | undefined> {
  const { question, reason, call } = interrupt;
  person.show({ title: `Asked${location}`, text: [question, ...(reason === undefined ? [] : [reason])].join("\n\n") });
  for (;;) {
    const chosenIndex = await person.choose({
      message: "Will you say?",
      options: ["Fill it in", "Decline: nothing is told"],
    });
    if (chosenIndex === undefined) return undefined;
    if (chosenIndex === 1) return { type: "cancel" };
    const response = await fillFields(form, person);
    if (response === undefined) return undefined;
    const fit = fitAnswer(call, response, form);
    if (fit.type === "fits") return { type: "answer", response };
    person.show({ title: "Not taken", text: fit.reason });
  }
}

interface Field {
  readonly name: string;
  readonly schema: JsonObject;
  readonly required: boolean;
}

/** Text of the answer; undefined if the user leaves. */
async function fillFields(form: JsonObject, person: Prompter): Promise<string | undefined> {
  const fields = flatFields(form);
  if (!fields) {
    person.show({ title: "The answer's JSON Schema", text: formatJson(JSON.stringify(form)) });
    return await person.write({ message: "Your answer as JSON, in one line" });
  }
  const values: [string, JsonValue][] = [];
  for (const field of fields) {
    const value = await askField(field, person);
    if (value === undefined) return undefined;
    if (value !== null) values.push([field.name, value]);
  }
  return JSON.stringify(Object.fromEntries(values));
}

const FLAT = new Set(["string", "number", "integer", "boolean"]);

/** Returns undefined if a field is no plain value. */
function flatFields({ properties, required }: JsonObject): readonly Field[] | undefined {
  const fields = Object.entries(isObject(properties) ? properties : {}).map(([name, schema]) => ({
    name,
    schema: isObject(schema) ? schema : {},
    required: Array.isArray(required) && required.includes(name),
  }));
  return fields.every(({ schema }) => FLAT.has(String(schema.type))) ? fields : undefined;
}

/** Null: omitted. Undefined: the user leaves. */
async function askField(field: Field, person: Prompter): Promise<JsonValue | undefined> {
  const { schema, required } = field;
  const choices = listChoices(schema);
  const message = fieldMessage(field);
  if (choices) {
    const options = [...choices.map(([label]) => label), ...(required ? [] : ["(leave it out)"])];
    const chosen = await person.choose({ message, options });
    return chosen === undefined ? undefined : (choices[chosen]?.[1] ?? null);
  }
  for (;;) {
    const input = await person.write({ message, optional: !required });
    if (input === undefined) return undefined;
    if (input === "") return null;
    if (schema.type === "string") return input;
    const number = Number(input);
    if (Number.isFinite(number) && (schema.type === "number" || Number.isSafeInteger(number))) return number;
    const expectation = schema.type === "number" ? "a number, such as 12.5" : "a whole number, such as 12";
    person.show({ title: "Not taken", text: `${JSON.stringify(input)} is not ${expectation}.` });
  }
}

/** Options to choose from, each with its value. */
function listChoices({ type, enum: values, oneOf }: JsonObject): readonly (readonly [string, JsonValue])[] | undefined {
  if (type === "boolean") return [["Yes", true] as const, ["No", false] as const];
  const named = Array.isArray(oneOf) ? oneOf.filter(isObject) : [];
  if (named.length > 0 && named.every((one) => typeof one.const === "string"))
    return named.map(({ const: value = null, title }) => [formatLabel(value, title), value] as const);
  return Array.isArray(values) ? values.map((value) => [formatLabel(value, undefined), value] as const) : undefined;
}

function formatLabel(value: JsonValue, title: JsonValue | undefined): string {
  const valueText = typeof value === "string" ? value : JSON.stringify(value);
  return typeof title === "string" && title !== valueText ? `${title} (${valueText})` : valueText;
}

function fieldMessage({ name, schema: { title, description }, required }: Field): string {
  const called = typeof title === "string" && title !== name ? `${title} (${name})` : name;
  const suffix = typeof description === "string" ? `: ${description}` : "";
  return `${called}${suffix}${required ? "" : " (may stay empty)"}`;
}
