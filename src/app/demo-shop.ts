import type { DemoShop, DemoShopOptions } from "../../demo/shop.ts";

/** The usual port of the demo shop. */
export const DEMO_PORT = 4010;

/** Starts the demo shop on loopback; null when the port is in use. Port 0 picks a free one. */
export async function openDemoShop(
  port: number,
  onMail: NonNullable<DemoShopOptions["onMail"]>,
): Promise<DemoShop | null> {
  const { startDemoShop } = await import("../../demo/shop.ts");
  try {
    return await startDemoShop({ port, onMail });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EADDRINUSE") return null;
    throw error;
  }
}
