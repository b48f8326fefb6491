/** What of a page tells whether the site knows the person. */
export interface SiteView {
  /** After redirects. */
  readonly url: string;
  readonly title: string;
  /** Of the document, when it is known. */
  readonly status: number | null;
  /** One that asks for a password there is; not one for choosing a new password. */
  readonly hasPasswordField: boolean;
  /** One for a one-time code: the site is not done with asking who they are. */
  readonly hasCodeField: boolean;
  /** The names of links, buttons and menu entries. */
  readonly controls: readonly string[];
  /** Everything that can be read there. */
  readonly text: string;
}
