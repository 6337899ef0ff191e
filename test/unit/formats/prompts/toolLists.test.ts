import { expect, it } from "@jest/globals";
import { renderPythonStub, renderTypescriptNamespace } from "../../../../src/formats/prompts/toolLists.ts";

it.each([
  ["Python", renderPythonStub],
  ["TypeScript", renderTypescriptNamespace("").one],
])("a tool of 2,000 required parameters is shown as %s without a search for each of them", (_name, show) => {
  let looks = 0;
  const names = Array.from({ length: 2_000 }, (_, i) => `p${i}`);
  const required = new Proxy(names, {
    get(list, key) {
      looks += 1;
      return Reflect.get(list, key);
    },
  });
  const properties = Object.fromEntries(names.map((name) => [name, { type: "string" }]));
  const text = show({ name: "f", parameters: { type: "object", properties, required } });
  expect(text).toMatch(/p0: str.*p1999: str/s);
  expect(text).not.toContain("?:");
  expect(looks).toBeLessThan(10_000);
});
