import { parseHostPattern } from "../lib/hosts.ts";
import { MODEL_PROVIDERS, parseModelSpec } from "../models/model-spec.ts";

/** How a setting is parsed. `parse` throws an Error whose message completes a sentence that starts with the variable. */
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
    describe: "hosts, separated by commas",
    parse(value) {
      const items = splitAtCommas(value);
      const wrong = items.filter((item) => parseHostPattern(item) === null);
      if (wrong.length > 0) {
        throw new Error(
          `must be hosts such as shop.internal, *.shop.internal or 127.0.0.1:4010, but has ${wrong.join(", ")}`,
        );
      }
      return items;
    },
  };
}

/** An http or https origin without a path, to which clients append `/v1`. */
export function origin(): SettingType<string> {
  return {
    describe: "a URL such as `https://errand.example`",
    parse(value) {
      const parsed = URL.parse(value);
      if (parsed === null || !isPlainWebUrl(parsed) || parsed.pathname !== "/") {
        throw new Error("must be an http or https URL without a path");
      }
      return parsed.origin;
    },
  };
}

export function url(...protocols: string[]): SettingType<string> {
  const one = urlStartingWith(protocols);
  return { describe: `a URL ${one.describe}`, parse: one.parse };
}

export function urls(...protocols: string[]): SettingType<string[]> {
  const one = urlStartingWith(protocols);
  return {
    describe: `URLs separated by commas, each ${one.describe}`,
    parse: (value) => splitAtCommas(value).map(one.parse),
  };
}

function urlStartingWith(protocols: readonly string[]): SettingType<string> {
  return {
    describe: `starting with ${protocols.map((protocol) => `\`${protocol}//\``).join(" or ")}`,
    parse(value) {
      const parsed = URL.parse(value);
      if (parsed === null || !protocols.includes(parsed.protocol)) {
        throw new Error(`must be a URL starting with ${protocols.map((protocol) => `${protocol}//`).join(" or ")}`);
      }
      return value;
    },
  };
}

/** Error messages never repeat the value: it contains a password. */
export function databaseUrl(): SettingType<string> {
  const one = url("postgres:", "postgresql:");
  return {
    describe: one.describe,
    parse(value) {
      const parsed = URL.parse(value);
      if (parsed === null || isTruncated(parsed) || !isDecodable(parsed.password)) {
        throw new Error(
          "must be a URL such as postgresql://user:password@host:5432/name; " +
            "/ # ? @ : % and spaces in the password must be percent-encoded (%2F for /, %23 for #, %25 for %)",
        );
      }
      return one.parse(value);
    },
  };
}

/** Error messages never repeat the value: it contains a password. */
export function mailServerUrl(): SettingType<string> {
  const one = url("smtp:", "smtps:");
  return { describe: `${one.describe}; secret`, parse: one.parse };
}

/** `provider:model` */
export function modelName(): SettingType<string> {
  return {
    describe: `\`provider:model\`, with the provider ${MODEL_PROVIDERS.map((name) => `\`${name}\``).join(", ")}`,
    parse(value) {
      parseModelSpec(value);
      return value;
    },
  };
}

/** The base URL, to which paths such as /chat/completions are appended. Keys belong in their own setting. */
export function modelUrl(): SettingType<string> {
  return {
    describe: "a URL such as `http://127.0.0.1:11434/v1`",
    parse(value) {
      const parsed = URL.parse(value);
      if (parsed === null || !isPlainWebUrl(parsed)) {
        throw new Error("must be an http or https URL without user, query or fragment; it usually ends in /v1");
      }
      return value;
    },
  };
}

/** Wider than Amazon's rule, because other stores allow more. */
export function bucketName(): SettingType<string> {
  return {
    describe: "3 to 63 letters, digits, dots and dashes",
    parse(value) {
      if (!/^[a-z0-9][\w.-]{1,61}[a-z0-9]$/i.test(value)) {
        throw new Error("must be a bucket name: 3 to 63 letters, digits, dots and dashes");
      }
      return value;
    },
  };
}

/** Keys belong in their own settings. */
export function storeUrl(): SettingType<string> {
  return {
    describe: "a URL such as `https://s3.example.com`",
    parse(value) {
      const parsed = URL.parse(value);
      if (parsed === null || !isPlainWebUrl(parsed)) {
        throw new Error("must be an http or https URL without user, query or fragment");
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
        throw new Error("must be a path such as errand or errand/artifacts, made of letters, digits, dots and dashes");
      }
      return value;
    },
  };
}

export function secret(minLength: number): SettingType<string> {
  return {
    describe: minLength === 1 ? "text; secret" : `at least ${minLength} characters; secret`,
    parse(value) {
      if (value.length < minLength) throw new Error(`must have at least ${minLength} characters`);
      return value;
    },
  };
}

/** Error messages never repeat the values. */
export function secrets(minLength: number): SettingType<string[]> {
  return {
    describe: `keys separated by commas, each of at least ${minLength} characters; secret`,
    parse(value) {
      const items = splitAtCommas(value);
      if (items.some((item) => item.length < minLength)) {
        throw new Error(`must be keys of at least ${minLength} characters each, separated by commas`);
      }
      return items;
    },
  };
}

function isPlainWebUrl({ protocol, username, password, search, hash }: URL): boolean {
  return /^https?:$/.test(protocol) && username + password + search + hash === "";
}

/** An unescaped slash or hash in the password ends the host early: the rest, with the @, ends up in the path or fragment. */
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
