/** Styles that are made while the page runs are let in by the mark that the service has put into the page. */
export function readStyleNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? "";
}
