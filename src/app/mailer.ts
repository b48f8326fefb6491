import { createTransport } from "nodemailer";
import type { Mail } from "../accounts/password-reset.ts";

const TIMEOUT_MS = 20_000;

/** Sends mail through the configured server. */
export function createMailer({ smtpUrl, mailFrom }: { smtpUrl: string; mailFrom: string }) {
  const transport = createTransport(
    { url: smtpUrl, connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS },
    { from: mailFrom },
  );
  return async (mail: Mail): Promise<void> => {
    await transport.sendMail(mail);
  };
}
