import { randomBytes, scryptSync, timingSafeEqual } from "node:crypto";

export interface PasswordHash {
  salt: Buffer;
  hash: Buffer;
}

/** Hashed, because people type real passwords into demos. Cheap to compute, because nothing outlives the process. */
const COST = { N: 1024 };

export function hashPassword(password: string): PasswordHash {
  const salt = randomBytes(16);
  return { salt, hash: scryptSync(password, salt, 32, COST) };
}

export function isPassword(password: string, { salt, hash }: PasswordHash): boolean {
  return timingSafeEqual(scryptSync(password, salt, 32, COST), hash);
}
