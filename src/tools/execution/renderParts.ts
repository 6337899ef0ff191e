// Renders a multipart output for a model: a text for all parts, and the images. Drops what is too large.
import type { ImagePart } from "../../core/messages.ts";
import type { MediaPart, OutputPart } from "../Tool.ts";

/** Images of one result. */
const MOST_IMAGES = 8;
/** Maximum base64 characters of one image. Vendors accept between 5 MB and 20 MB per request; a large screenshot has 1 MB. */
const IMAGE_CHARS = 2_097_152;
/** Characters of base64 that the results of a conversation show in all: each is sent with every further turn. */
export const IMAGES_OF_RUN = 8_388_608;

/** Text for the model, and its images. The text has a placeholder for each image. */
export interface ShownParts {
  readonly text: string;
  readonly images: readonly ImagePart[];
}

/** Shared by the calls that run at the same time, so that together they show no more than the run may. */
export class ImageBudget {
  #remainingChars: number;

  /** @param remainingChars characters of base64 that may still be shown. */
  constructor(remainingChars: number) {
    this.#remainingChars = remainingChars;
  }

  show(parts: readonly OutputPart[]): ShownParts {
    const images: ImagePart[] = [];
    const texts = parts.map((part) => {
      if (part.type === "text") return part.text;
      const image = images.length < MOST_IMAGES ? this.#takeMedia(part) : undefined;
      if (image) images.push(image.part);
      return describePart(image?.type ?? part.mimeType, part.data.length, image !== undefined);
    });
    return { text: texts.join("\n"), images };
  }

  #takeMedia({ data }: MediaPart): { readonly type: string; readonly part: ImagePart } | undefined {
    const type = data.length <= Math.min(IMAGE_CHARS, this.#remainingChars) ? detectImageType(data) : undefined;
    if (type === undefined) return undefined;
    this.#remainingChars -= data.length;
    return { type, part: { type: "image_url", image_url: { url: `data:${type};base64,${data}` } } };
  }
}

/** `[image/png, 12 KB]`: the text for data that cannot be shown. The media type comes from a server, so it is sanitized. */
function describePart(mimeType: string, chars: number, isShown: boolean): string {
  const type = /^[\w.+-]{1,60}\/[\w.+-]{1,60}/.exec(mimeType)?.[0] ?? "data";
  const kilobytes = Math.ceil((chars * BYTES_A_CHAR) / 1_024);
  return `[${type}, ${kilobytes} KB${isShown ? "" : ", not shown"}]`;
}

const BYTES_A_CHAR = 0.75;

/** Image types that every vendor accepts, with their first bytes: any other would make the upstream refuse the request. */
const IMAGE_TYPES: readonly (readonly [string, RegExp])[] = [
  ["image/png", /^\x89PNG\r\n/],
  ["image/jpeg", /^\xff\xd8\xff/],
  ["image/gif", /^GIF8[79]a/],
  ["image/webp", /^RIFF.{4}WEBP/s],
];

/** Number of base64 characters that contain the type of an image. */
const HEAD_CHARS = 24;

function detectImageType(data: string): string | undefined {
  if (data.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(data)) return undefined;
  const head = Buffer.from(data.slice(0, HEAD_CHARS), "base64").toString("latin1");
  return IMAGE_TYPES.find(([, pattern]) => pattern.test(head))?.[0];
}
