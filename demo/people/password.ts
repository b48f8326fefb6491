import { randomBytes, scryptSync, timingSafeEqual } from "node:crypto";

export interface PasswordHash {
  salt: Buffer;
  hash: Buffer;
}

/** People type real passwords into demos, too. Cheap to compute, because here nothing is kept beyond the process. */
const COST = { N: 1024 };

export function hashPassword(password: string): PasswordHash {
  const salt = randomBytes(16);
  return { salt, hash: scryptSync(password, salt, 32, COST) };
}

export function isPassword(password: string, { salt, hash }: PasswordHash): boolean {
  return timingSafeEqual(scryptSync(password, salt, 32, COST), hash);
}
