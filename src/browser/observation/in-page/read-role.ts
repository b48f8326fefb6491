/** Runs in the page. Returns a function for the ARIA role of an element: null for none, "none" for one taken away. */
export function createRoleReader(): (element: Element) => string | null {
  const ROLES = new Set(
    "alert alertdialog application article banner blockquote button caption cell checkbox code columnheader combobox complementary contentinfo definition deletion dialog directory document emphasis feed figure form generic grid gridcell group heading img insertion link list listbox listitem log main mark marquee math menu menubar menuitem menuitemcheckbox menuitemradio meter navigation none note option paragraph presentation progressbar radio radiogroup region row rowgroup rowheader scrollbar search searchbox separator slider spinbutton status strong subscript superscript switch tab table tablist tabpanel term textbox time timer toolbar tooltip tree treegrid treeitem".split(
      " ",
    ),
  );
  const BY_TAG: Readonly<Record<string, string>> = {
    article: "article",
    aside: "complementary",
    blockquote: "blockquote",
    button: "button",
    caption: "caption",
    code: "code",
    datalist: "listbox",
    dd: "definition",
    del: "deletion",
    details: "group",
    dfn: "term",
    dialog: "dialog",
    dt: "term",
    em: "emphasis",
    fieldset: "group",
    figure: "figure",
    h1: "heading",
    h2: "heading",
    h3: "heading",
    h4: "heading",
    h5: "heading",
    h6: "heading",
    hr: "separator",
    html: "document",
    ins: "insertion",
    li: "listitem",
    main: "main",
    mark: "mark",
    math: "math",
    menu: "list",
    meter: "meter",
    nav: "navigation",
    ol: "list",
    optgroup: "group",
    option: "option",
    output: "status",
    p: "paragraph",
    progress: "progressbar",
    search: "search",
    strong: "strong",
    sub: "subscript",
    sup: "superscript",
    svg: "img",
    table: "table",
    tbody: "rowgroup",
    textarea: "textbox",
    tfoot: "rowgroup",
    thead: "rowgroup",
    time: "time",
    tr: "row",
    ul: "list",
  };
  const BY_INPUT_TYPE: Readonly<Record<string, string>> = {
    button: "button",
    checkbox: "checkbox",
    file: "button",
    image: "button",
    number: "spinbutton",
    radio: "radio",
    range: "slider",
    reset: "button",
    search: "searchbox",
    submit: "button",
  };
  const SECTIONS = "article,aside,main,nav,section,[role=article],[role=complementary],[role=main],[role=region]";
  /** Parts of a table or list lose their role with it. */
  const PARTS: Readonly<Record<string, string>> = {
    dd: "dl",
    dt: "dl",
    li: "ol,ul",
    tbody: "table",
    td: "table",
    tfoot: "table",
    th: "table",
    thead: "table",
    tr: "table",
  };
  const GLOBAL_ATTRIBUTES =
    "[aria-atomic],[aria-busy],[aria-controls],[aria-current],[aria-describedby],[aria-details],[aria-flowto],[aria-keyshortcuts],[aria-label],[aria-labelledby],[aria-live],[aria-owns],[aria-relevant],[aria-roledescription]";
  const FOCUSABLE = "a[href],area[href],button,input,select,textarea,details,[tabindex]";

  function explicitRoleOf(element: Element): string | null {
    const attribute = element.getAttribute("role");
    if (attribute === null) return null;
    return (
      attribute
        .toLowerCase()
        .split(/\s+/)
        .find((role) => ROLES.has(role)) ?? null
    );
  }

  function isNone(role: string | null): boolean {
    return role === "none" || role === "presentation";
  }

  /** A role cannot be taken from what has the focus, or from what says more about itself. */
  function keepsRole(element: Element): boolean {
    return element.matches(GLOBAL_ATTRIBUTES) || element.matches(FOCUSABLE);
  }

  function hasName(element: Element): boolean {
    return ["aria-label", "aria-labelledby", "title"].some((name) => Boolean(element.getAttribute(name)?.trim()));
  }

  function roleOfInput(input: HTMLInputElement): string | null {
    const type = input.type.toLowerCase();
    if (type === "hidden") return null;
    if (["email", "search", "tel", "text", "url"].includes(type) && input.list !== null) return "combobox";
    return BY_INPUT_TYPE[type] ?? "textbox";
  }

  function roleOfImage(element: Element): string {
    const isDecoration = element.getAttribute("alt") === "" && !element.getAttribute("title");
    return isDecoration && !keepsRole(element) ? "none" : "img";
  }

  function isFilledCell(element: Element | null): boolean {
    if (element?.localName !== "td") return false;
    return element.childElementCount > 0 || (element.textContent ?? "").trim() !== "";
  }

  function roleOfHeader(element: Element): string | null {
    const scope = element.getAttribute("scope") ?? "";
    if (scope.startsWith("col")) return "columnheader";
    if (scope.startsWith("row")) return "rowheader";
    const beside = [element.previousElementSibling, element.nextElementSibling];
    if (beside.every((one) => one === null)) return isOnlyRow(element) ? null : "columnheader";
    return beside.some(isFilledCell) ? "rowheader" : "columnheader";
  }

  function isOnlyRow(header: Element): boolean {
    const table = header.closest("table");
    return table !== null && table.rows.length <= 1;
  }

  function roleOfCell(element: Element): string {
    const table = element.closest("table");
    const role = table === null ? null : explicitRoleOf(table);
    return role === "grid" || role === "treegrid" ? "gridcell" : "cell";
  }

  /** Tags whose role depends on more than the tag. */
  const BY_ELEMENT: Readonly<Record<string, (element: Element) => string | null>> = {
    a: (element) => (element.hasAttribute("href") ? "link" : null),
    area: (element) => (element.hasAttribute("href") ? "link" : null),
    footer: (element) => (element.closest(SECTIONS) === null ? "contentinfo" : null),
    form: (element) => (hasName(element) ? "form" : null),
    header: (element) => (element.closest(SECTIONS) === null ? "banner" : null),
    img: roleOfImage,
    input: (element) => roleOfInput(element as HTMLInputElement),
    section: (element) => (hasName(element) ? "region" : null),
    select: (element) => roleOfList(element as HTMLSelectElement),
    td: roleOfCell,
    th: roleOfHeader,
  };

  function roleOfList({ multiple, size }: HTMLSelectElement): string {
    return multiple || size > 1 ? "listbox" : "combobox";
  }

  function implicitRoleOf(element: Element): string | null {
    const tag = element.localName;
    const read = Object.hasOwn(BY_ELEMENT, tag) ? BY_ELEMENT[tag] : undefined;
    if (read !== undefined) return read(element);
    return Object.hasOwn(BY_TAG, tag) ? (BY_TAG[tag] ?? null) : null;
  }

  function isOfNone(element: Element): boolean {
    const around = PARTS[element.localName];
    const whole = around === undefined ? null : (element.parentElement?.closest(around) ?? null);
    return whole !== null && isNone(explicitRoleOf(whole)) && !keepsRole(whole);
  }

  return (element) => {
    const explicit = explicitRoleOf(element);
    if (explicit !== null && !isNone(explicit)) return explicit;
    const implicit = implicitRoleOf(element);
    if (explicit !== null) return keepsRole(element) ? implicit : "none";
    return implicit !== null && isOfNone(element) ? "none" : implicit;
  };
}
