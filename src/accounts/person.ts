/** A person with an account: a user of applications, an owner of some, or both. */
export interface Person {
  id: string;
  email: string;
}
