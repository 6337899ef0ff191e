// Creates embedding vectors of texts through an upstream, in batches.
import { createFailure, PostelError } from "../../core/failures.ts";
import { parseJson } from "../../core/json/parseJson.ts";
import type { JsonObject, JsonValue } from "../../core/messages.ts";
import type { Embedder, Embedding, EmbeddingRequest } from "../../core/ports.ts";
import { asArray, asObject, asObjects } from "../looseJson.ts";
import type { ModelDirectory } from "../ModelDirectory.ts";
import type { Route } from "../Route.ts";

/** Texts of one request: the default limit of servers (text-embeddings-inference), with an answer that is read at once. */
const BATCH = 32;
/** As many numbers as the largest models give are 3 MB of it. */
const ANSWER_BYTES = 16_777_216;
/** Numbers of one vector. */
const MOST_NUMBERS = 16_384;

type Way = Pick<Route, "model" | "upstream"> & { readonly passThrough: NonNullable<Route["passThrough"]> };

export class UpstreamEmbedder implements Embedder {
  readonly #directory: Pick<ModelDirectory, "resolve">;

  constructor(directory: Pick<ModelDirectory, "resolve">) {
    this.#directory = directory;
  }

  async embed({ model, texts, purpose }: EmbeddingRequest, signal: AbortSignal): Promise<Embedding> {
    const way = this.#wayTo(model);
    const vectors: Float32Array[] = [];
    for (let from = 0; from < texts.length; from += BATCH) {
      const batch = texts.slice(from, from + BATCH);
      const answer = await ask(way, { batch, purpose }, signal);
      for (const vector of readVectors(answer, batch.length, way)) vectors.push(vector);
    }
    if (new Set(vectors.map(({ length }) => length)).size > 1) throw broken(way, "gave vectors of different lengths");
    return { model: way.model, vectors };
  }

  #wayTo(asked: string): Way {
    const [route] = this.#directory.resolve(asked);
    if (!route) throw new PostelError(createFailure("model_not_found", `No upstream serves the model \`${asked}\`.`));
    const { passThrough } = route;
    if (passThrough) return { ...route, passThrough };
    const message = `The upstream \`${route.upstream}\` of the model \`${asked}\` has no embeddings. Ask another model.`;
    throw new PostelError(createFailure("unsupported_parameter", message));
  }
}

async function ask(
  way: Way,
  { batch, purpose }: { readonly batch: readonly string[]; readonly purpose: EmbeddingRequest["purpose"] },
  signal: AbortSignal,
): Promise<JsonObject> {
  const { model, passThrough } = way;
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  const body = { model, input: batch };
  await passThrough.pass({ ...purpose, path: "/embeddings", model, body }, signal, {
    begin: () => {},
    write: (piece) => {
      bytes += piece.length;
      if (bytes > ANSWER_BYTES)
        throw new PostelError(
          createFailure("upstream_answer_too_large", said(way, `sent more than ${ANSWER_BYTES} bytes`)),
        );
      pieces.push(piece);
      return undefined;
    },
  });
  const answer = asObject(parseJson(Buffer.concat(pieces).toString("utf8")));
  if (!answer) throw broken(way, "answered what is no JSON object");
  return answer;
}

/** Sorts by the order of the texts: `index` relates a vector to its text. */
function readVectors(answer: JsonObject, texts: number, way: Way): readonly Float32Array[] {
  const entries = asObjects(answer.data);
  if (entries.length !== texts) throw broken(way, `gave ${entries.length} vectors for ${texts} texts`);
  const placed = new Map(
    entries.map(({ index, embedding }, at) => [typeof index === "number" ? index : at, embedding]),
  );
  return Array.from({ length: texts }, (_, at) => toVector(placed.get(at), way));
}

function toVector(embedding: JsonValue | undefined, way: Way): Float32Array {
  const numbers = Array.isArray(embedding) ? asArray(embedding) : [];
  const vector = Float32Array.from(numbers, (number) => (typeof number === "number" ? number : Number.NaN));
  const isOne = vector.length > 0 && vector.length <= MOST_NUMBERS && vector.every(Number.isFinite);
  // A zero vector has no direction and cannot be compared.
  if (isOne && vector.some((number) => number !== 0)) return vector;
  throw broken(way, `gave a vector that is not 1 to ${MOST_NUMBERS} numbers, one of them other than zero`);
}

function broken(way: Way, problem: string): PostelError {
  return new PostelError(createFailure("upstream_protocol_error", said(way, problem)));
}

function said({ upstream, model }: Way, problem: string): string {
  return `The upstream \`${upstream}\` ${problem}, as embeddings of the model \`${model}\`.`;
}
