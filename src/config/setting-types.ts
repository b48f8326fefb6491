import { parseHostPattern } from "../lib/hosts.ts";
import { MODEL_PROVIDERS, parseModelSpec } from "../models/model-spec.ts";

/** How one setting is read from text. `parse` throws an Error whose message completes "ERRAND_X …". */
export interface SettingType<Value> {
  describe: string;
  parse(text: string): Value;
}

export function text(): SettingType<string> {
  return { describe: "text", parse: (value) => value };
}

export function integer(range: { min: number; max: number }): SettingType<number> {
  return {
    describe: `a whole number from ${range.min} to ${range.max}`,
    parse(value) {
      const number = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
      if (!(number >= range.min && number <= range.max)) {
        throw new Error(`must be a whole number from ${range.min} to ${range.max}`);
      }
      return number;
    },
  };
}

export function oneOf<const Choice extends string>(...choices: Choice[]): SettingType<Choice> {
  return {
    describe: choices.map((choice) => `\`${choice}\``).join(", "),
    parse(value) {
      const choice = choices.find((candidate) => candidate === value);
      if (choice === undefined) throw new Error(`must be one of ${choices.join(", ")}`);
      return choice;
    },
  };
}

export function flag(): SettingType<boolean> {
  return {
    describe: "`true` or `false`",
    parse(value) {
      if (value !== "true" && value !== "false") throw new Error("must be true or false");
      return value === "true";
    },
  };
}

export function hosts(): SettingType<string[]> {
  return {
    describe: "hosts with commas between them",
    parse(value) {
      const items = splitAtCommas(value);
      const wrong = items.filter((item) => parseHostPattern(item) === null);
      if (wrong.length > 0) {
        throw new Error(
          `must be hosts such as shop.internal, *.shop.internal or 127.0.0.1:4010, and has ${wrong.join(", ")}`,
        );
      }
      return items;
    },
  };
}

/** An http or https origin without a path: what clients put in front of `/v1`. */
export function origin(): SettingType<string> {
  return {
    describe: "an address such as `https://errand.example`",
    parse(value) {
      const url = URL.parse(value);
      const isOrigin =
        url !== null && /^https?:$/.test(url.protocol) && url.pathname === "/" && url.search + url.hash === "";
      if (!isOrigin || url.username !== "") throw new Error("must be an http or https address without a path");
      return url.origin;
    },
  };
}

export function url(...protocols: string[]): SettingType<string> {
  return {
    describe: `an address that starts with ${protocols.map((protocol) => `\`${protocol}//\``).join(" or ")}`,
    parse(value) {
      const url = URL.parse(value);
      if (url === null || !protocols.includes(url.protocol)) {
        throw new Error(
          `must be an address that starts with ${protocols.map((protocol) => `${protocol}//`).join(" or ")}`,
        );
      }
      return value;
    },
  };
}

/** What is wrong with one is said without showing it: it holds a password. */
export function databaseUrl(): SettingType<string> {
  const one = url("postgres:", "postgresql:");
  return {
    describe: one.describe,
    parse(value) {
      const url = URL.parse(value);
      if (url === null || isTruncated(url) || !isDecodable(url.password)) {
        throw new Error(
          "must be an address such as postgresql://user:password@host:5432/name; " +
            "/ # ? @ : % and spaces in the password must be percent-encoded: %2F for /, %23 for #, %25 for %",
        );
      }
      return one.parse(value);
    },
  };
}

export function urls(...protocols: string[]): SettingType<string[]> {
  const one = url(...protocols);
  return {
    describe: `addresses with commas between them, each one ${one.describe.replace("an address ", "")}`,
    parse: (value) => splitAtCommas(value).map(one.parse),
  };
}

/** `provider:model`, as one text. */
export function modelName(): SettingType<string> {
  return {
    describe: `\`provider:model\`, with the provider ${MODEL_PROVIDERS.map((name) => `\`${name}\``).join(", ")}`,
    parse(value) {
      parseModelSpec(value);
      return value;
    },
  };
}

/** What paths such as /chat/completions are put behind. A key belongs into its own setting, where it is kept secret. */
export function modelUrl(): SettingType<string> {
  return {
    describe: "an address such as `http://127.0.0.1:11434/v1`",
    parse(value) {
      const url = URL.parse(value);
      const isPlain = url !== null && url.username + url.password + url.search + url.hash === "";
      if (!isPlain || !/^https?:$/.test(url.protocol)) {
        throw new Error(
          "must be an http or https address without a user, a query or a fragment, and usually ends in /v1",
        );
      }
      return value;
    },
  };
}

/** Wider than Amazon's rule, because other stores have others. */
export function bucketName(): SettingType<string> {
  return {
    describe: "a name of 3 to 63 letters, digits, dots, dashes",
    parse(value) {
      if (!/^[a-z0-9][\w.-]{1,61}[a-z0-9]$/i.test(value)) {
        throw new Error("must be a bucket's name: 3 to 63 letters, digits, dots and dashes");
      }
      return value;
    },
  };
}

/** Keys belong into their own settings, where they are kept secret. */
export function storeUrl(): SettingType<string> {
  return {
    describe: "an address such as `https://s3.example.com`",
    parse(value) {
      const url = URL.parse(value);
      const isPlain = url !== null && url.username + url.password + url.search + url.hash === "";
      if (!isPlain || !/^https?:$/.test(url.protocol)) {
        throw new Error("must be an http or https address without a user, a query or a fragment");
      }
      return value;
    },
  };
}

export function keyPrefix(): SettingType<string> {
  return {
    describe: "letters, digits, dots, dashes and slashes",
    parse(value) {
      if (!/^([\w.-]+(\/[\w.-]+)*\/?)?$/.test(value) || /(^|\/)\.\.?(\/|$)/.test(value) || value.length > 200) {
        throw new Error("must be a path such as errand or errand/artifacts, of letters, digits, dots and dashes");
      }
      return value;
    },
  };
}

export function secret(minLength: number): SettingType<string> {
  return {
    describe: `at least ${minLength} characters, kept secret`,
    parse(value) {
      if (value.length < minLength) throw new Error(`must have at least ${minLength} characters`);
      return value;
    },
  };
}

/** What is wrong with one is said without showing it. */
export function secrets(minLength: number): SettingType<string[]> {
  return {
    describe: `keys with commas between them, each of at least ${minLength} characters, kept secret`,
    parse(value) {
      const items = splitAtCommas(value);
      if (items.some((item) => item.length < minLength)) {
        throw new Error(`must be keys of at least ${minLength} characters each, with commas between them`);
      }
      return items;
    },
  };
}

/** A slash or a hash in a password ends the host early, and its user and the rest of it look like host, port and name. */
function isTruncated({ username, pathname, hash }: URL): boolean {
  return username === "" && (pathname + hash).includes("@");
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

function splitAtCommas(value: string): string[] {
  return value
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}
