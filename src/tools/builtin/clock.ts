// The built-in tool that returns the time in a time zone. Uses the injected clock.
import type { Clock } from "../../core/ports.ts";
import type { Tool } from "../Tool.ts";

export function createClockTool(clock: Clock): Tool {
  return {
    spec: {
      name: "clock",
      description: "Tells the current date and time in a time zone.",
      parameters: {
        type: "object",
        properties: {
          timezone: { type: "string", description: "IANA name such as Europe/Paris; UTC if absent.", default: "UTC" },
        },
        additionalProperties: false,
      },
    },
    idempotent: true,
    async execute(args) {
      const zone = Object.hasOwn(args, "timezone") ? args.timezone : "UTC";
      if (typeof zone !== "string") throw new Error("timezone must be a text such as Europe/Paris.");
      return tell(new Date(clock.now()), zone);
    },
  };
}

function tell(date: Date, zone: string): { [key: string]: string } {
  const parts = new Map(
    createFormat(zone)
      .formatToParts(date)
      .map(({ type, value }) => [type, value]),
  );
  const part = (type: Intl.DateTimeFormatPartTypes): string => parts.get(type) ?? "";
  // `GMT` without an offset means +00:00.
  const offset = part("timeZoneName").slice("GMT".length) || "+00:00";
  return {
    time: `${part("year")}-${part("month")}-${part("day")}T${part("hour")}:${part("minute")}:${part("second")}${offset}`,
    timezone: zone,
    weekday: part("weekday"),
  };
}

function createFormat(zone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      hourCycle: "h23",
      weekday: "long",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
      timeZoneName: "longOffset",
    });
  } catch (cause) {
    const shown = JSON.stringify(zone.slice(0, 64));
    throw new Error(`${shown} is no time zone; use an IANA name such as Europe/Paris or UTC.`, { cause });
  }
}
