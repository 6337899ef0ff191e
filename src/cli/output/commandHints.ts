// Replaces HTTP requests in failure messages by the equivalent commands.

const ROUTES: readonly (readonly [RegExp, string])[] = [
  [/GET \/v1\/models(?= lists)/g, "`postel models`"],
  [/GET \/v1\/agent\/sessions(?= lists)/g, "`postel sessions`"],
  [/GET \/v1\/agent\/runs\/([\w-]+)\/events(?= returns)/g, "`postel runs $1 --events`"],
  [/GET \/v1\/agent\/runs\/([\w-]+)(?= tells|\))/g, "`postel runs $1`"],
  [
    /by a `role: "tool"` message of its id, or by POST \/v1\/agent\/runs\/([\w-]+)\/interrupts\/\{id\}/g,
    "with `postel run --resume $1`",
  ],
];

/** The message for a terminal user. Routes without an equivalent command stay as they are. */
export function replaceWithCommands(message: string): string {
  return message.includes("/v1/")
    ? ROUTES.reduce((text, [route, command]) => text.replace(route, command), message)
    : message;
}
