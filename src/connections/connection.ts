export interface Connection {
  id: string;
  applicationId: string;
  userId: string;
  state: "ACTIVE" | "REAUTHORIZATION_REQUIRED";
}
