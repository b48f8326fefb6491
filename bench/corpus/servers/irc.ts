import { writeFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";

/** What is said and set on the chat network, kept in one file. */
export interface Network {
  /** By channel name. */
  channels: Record<string, Channel>;
  /** Private messages: to whom, and what. */
  messages: { to: string; text: string }[];
}

export interface Channel {
  topic: string;
  /** Other people in it. */
  members: string[];
  /** Shown to everyone who joins. */
  history: { from: string; text: string }[];
  /** What the user has said there. */
  said: string[];
  joined: boolean;
  /** Why something is not allowed here. */
  rules: readonly Rule[];
}

/** invite: nobody can join. mute: nobody can speak. topic: nobody can change the topic. loses: what is said gets lost, and a notice says so. */
type Rule = "invite" | "mute" | "topic" | "loses";

const SERVER = "irc.example";

/** A chat network with one real user, for a chat client to connect to. */
export function serveIrc(network: Network, port: number, file: string): void {
  const save = () => writeFileSync(file, JSON.stringify(network, null, 1));
  createServer((socket) => {
    let buffer = "";
    const session = new Session(socket, network, save);
    socket.setEncoding("utf8");
    socket.on("error", () => socket.destroy());
    socket.on("data", (chunk: string) => {
      const lines = `${buffer}${chunk}`.split(/\r?\n/);
      buffer = lines.pop() ?? "";
      for (const line of lines) if (line !== "") session.receive(line);
    });
  }).listen(port, "127.0.0.1");
}

class Session {
  readonly #socket: Socket;
  readonly #network: Network;
  readonly #save: () => void;
  #nick = "*";
  #isWelcome = false;

  constructor(socket: Socket, network: Network, save: () => void) {
    this.#socket = socket;
    this.#network = network;
    this.#save = save;
  }

  receive(line: string): void {
    const [head = "", ...rest] = line.split(" :");
    const [command = "", ...words] = head.trim().split(/\s+/);
    const args = rest.length > 0 ? [...words, rest.join(" :")] : words;
    const [first = "", second = ""] = args;
    switch (command.toUpperCase()) {
      case "CAP":
        if (first === "LS") this.#send(`:${SERVER} CAP * LS :`);
        return;
      case "NICK":
        return void this.#setNick(first);
      case "USER":
        return void this.#welcome();
      case "PING":
        return void this.#send(`:${SERVER} PONG ${SERVER} :${first}`);
      case "JOIN":
        for (const name of first.split(",")) this.#join(name);
        return;
      case "PART":
        return void this.#part(first);
      case "TOPIC":
        return void this.#setTopic(first, second);
      case "PRIVMSG":
        return void this.#say(first, second);
      case "MODE":
        if (first.startsWith("#")) this.#reply("324", first, "+nt");
        return;
      case "WHO":
        return void this.#reply("315", first, "End of WHO");
      case "NAMES":
        return void this.#names(first);
      case "WHOIS":
        this.#reply("311", first, first, "host.example", "*", `${first} of the garden`);
        return void this.#reply("318", first, "End of WHOIS");
    }
  }

  #send(line: string): void {
    this.#socket.write(`${line}\r\n`);
  }

  #reply(code: string, ...args: string[]): void {
    const last = args.pop() ?? "";
    this.#send([`:${SERVER}`, code, this.#nick, ...args, `:${last}`].join(" "));
  }

  #own(rest: string): void {
    this.#send(`:${this.#nick}!user@host.example ${rest}`);
  }

  #setNick(nick: string): void {
    if (this.#isWelcome) this.#own(`NICK :${nick}`);
    this.#nick = nick;
  }

  #welcome(): void {
    this.#isWelcome = true;
    this.#reply("001", `Welcome ${this.#nick}`);
    this.#reply("005", "CHANTYPES=#", "PREFIX=(ov)@+", "NETWORK=Garden", "are supported by this server");
    this.#reply("422", "No message of the day");
  }

  #join(name: string): void {
    const channel = this.#network.channels[name];
    if (channel === undefined) return void this.#reply("403", name, "No such channel");
    if (channel.rules.includes("invite")) return void this.#reply("473", name, "Cannot join channel (+i)");
    channel.joined = true;
    this.#save();
    this.#own(`JOIN ${name}`);
    if (channel.topic !== "") this.#reply("332", name, channel.topic);
    this.#names(name);
    for (const { from, text } of channel.history) this.#send(`:${from}!user@host.example PRIVMSG ${name} :${text}`);
  }

  #names(name: string): void {
    this.#reply("353", "=", name, [this.#nick, ...(this.#network.channels[name]?.members ?? [])].join(" "));
    this.#reply("366", name, "End of NAMES");
  }

  #part(name: string): void {
    const channel = this.#network.channels[name];
    if (channel === undefined) return;
    channel.joined = false;
    this.#save();
    this.#own(`PART ${name}`);
  }

  #setTopic(name: string, topic: string): void {
    const channel = this.#network.channels[name];
    if (channel === undefined) return void this.#reply("403", name, "No such channel");
    if (channel.rules.includes("topic")) return void this.#reply("482", name, "You're not a channel operator");
    channel.topic = topic;
    this.#save();
    this.#own(`TOPIC ${name} :${topic}`);
  }

  #say(to: string, text: string): void {
    if (!to.startsWith("#")) {
      const isKnown = Object.values(this.#network.channels).some(({ members }) => members.includes(to));
      if (!isKnown) return void this.#reply("401", to, "No such nick/channel");
      this.#network.messages.push({ to, text });
      return void this.#save();
    }
    const channel = this.#network.channels[to];
    if (channel === undefined || channel.rules.includes("mute")) {
      return void this.#reply("404", to, "Cannot send to channel");
    }
    if (channel.rules.includes("loses")) {
      return void this.#send(`:${SERVER} NOTICE ${to} :Your message was not delivered: the relay is down.`);
    }
    channel.said.push(text);
    this.#save();
  }
}
