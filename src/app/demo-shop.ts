import type { DemoShop, DemoShopOptions } from "../../demo/shop.ts";

/** Where the demo shop is, unless another program is there. */
export const DEMO_PORT = 4010;

/** The demo shop on loopback; null when its port is taken. Port 0 takes a free one. */
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
