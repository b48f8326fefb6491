import { describe, expect, test } from "vitest";
import { summarize } from "../_harness/instructions.ts";

/** A prompt, and what it says to do. */
const UNDERSTOOD: readonly (readonly [string, ...string[]])[] = [
  ["Go to example.com/shop.", "goto | https://example.com/shop"],
  ["Please open https://example.com/login.", "goto | https://example.com/login"],
  ["Visit /cart", "goto | /cart"],
  ["Go back.", "back"],
  ["Reload the page", "reload"],
  ['Click on the "Ok" button.', "click | Ok button"],
  ["Please could you press Save?", "click | Save"],
  ['Click "Save and close", then tap Done.', "click | Save and close", "click | Done"],
  ["click Save and Close", "click | Save and Close"],
  ["Click the x to close the dialog.", "click | x"],
  ["Click Delete and click Yes, delete.", "click | Delete", "click | Yes, delete"],
  ["Click No, keep it, then click Close.", "click | No, keep it", "click | Close"],
  ["Click Yes, click Save.", "click | Yes", "click | Save"],
  ["Click Cancel, discard changes.", "click | Cancel, discard changes"],
  ["Click Export, then As a table, then CSV.", "click | Export", "click | As a table", "click | CSV"],
  ["Hover over Products, then Cups, and click Mugs.", "hover | Products", "hover | Cups", "click | Mugs"],
  ['Close the dialog box by clicking the "x".', "click | x"],
  ['For the user @leo, click on the "Mute" button.', "click | Mute button (@leo)"],
  ['Click the third link in the "News" section.', "click | third link in the News section"],
  ['Click the "Like" button on all posts by @jo.', "click | Like button (@jo) | times all"],
  ["Double-click the folder.", "click | folder | times double"],
  ["Open the Brindle Kettle.", "open | Brindle Kettle"],
  ["Go to the cart", "open | cart"],
  ['Switch between the tabs to find and click on the link "Guarantee".', "click | link Guarantee | explores true"],
  ['Type "hello" into the search box and press Enter.', 'set | search box | "hello"', "press | keys Enter"],
  [
    'Enter the username "jo" and the password "s3" into the text fields and press login.',
    'set | username | "jo"',
    'set | password | "s3"',
    "click | login",
  ],
  ["Enter 12 High Street, Oxford in the address field.", 'set | address field | "12 High Street, Oxford"'],
  ["Type Paris in Texas into City.", 'set | City | "Paris in Texas"'],
  [
    "Enter Robin Example as your name and 01632 960001 as the phone number, then click Send.",
    'set | name | "Robin Example"',
    'set | phone number | "01632 960001"',
    "click | Send",
  ],
  ["Type Jo into First name and Doe into Last name.", 'set | First name | "Jo"', 'set | Last name | "Doe"'],
  ["Enter Doe, Jo as the name and 5 into Age.", 'set | name | "Doe, Jo"', 'set | Age | "5"'],
  ['Enter "Jo as Doe and Sons" as the name and 5 as the age.', 'set | name | "Jo as Doe and Sons"', 'set | age | "5"'],
  ["Choose Large as the size and Red as the colour.", "choose | Large | from size", "choose | Red | from colour"],
  ['Type "JO" in all lower case letters in the text input.', 'set | text input | "jo"'],
  ["Fill in the email field with jo@example.com", 'set | email field | "jo@example.com"'],
  [
    "Fill in the form with name: Jo Doe, email: jo@example.com and city: Oslo, then submit.",
    'set | name | "Jo Doe"',
    'set | email | "jo@example.com"',
    'set | city | "Oslo"',
    "submit",
  ],
  [
    "Fill out the form: first name Jo, last name Doe, city Oslo",
    'set | first name | "Jo"',
    'set | last name | "Doe"',
    'set | city | "Oslo"',
  ],
  [
    "Set the first name to Jo and the last name to Doe, then save.",
    'set | first name | "Jo"',
    'set | last name | "Doe"',
    "click | save",
  ],
  ["Name: Jo Doe", 'set | Name | "Jo Doe"'],
  ["Use WELCOME10 as the voucher code.", 'set | voucher code | "WELCOME10"'],
  ["Apply the voucher WELCOME10.", 'set | voucher | "WELCOME10"', "click | Apply"],
  ["Leave the phone field empty.", "clear | phone field"],
  ["Clear the search field.", "clear | search field"],
  ["Increase the quantity to 3.", 'set | quantity | "3"'],
  ["Set the sliders to 3, 5 and 7.", 'set | slider 1 | "3"', 'set | slider 2 | "5"', 'set | slider 3 | "7"'],
  ['Use the textbox to enter "Riley" and press "Search".', 'set | textbox | "Riley"', "click | Search"],
  [
    "Copy the text from the 2nd text area and paste it into the text input.",
    "copy | from 2nd text area",
    "set | text input | (what was copied)",
  ],
  [
    "Find the last word in the paragraph, type that into the textbox and press Submit.",
    'copy | from paragraph | part {"unit":"word","ordinal":-1}',
    "set | textbox | (what was copied)",
    "click | Submit",
  ],
  [
    "Select Heard Island and McDonald Islands from the list and click Submit.",
    "choose | Heard Island and McDonald Islands | from list",
    "click | Submit",
  ],
  ["Select red, green and blue.", "choose | red, green and blue"],
  ["Choose Large as the size.", "choose | Large | from size"],
  ["Select nothing and click Submit.", "nothing", "click | Submit"],
  ["Select 05/12/2026 as the date and hit submit.", 'set | date | "05/12/2026"', "click | submit"],
  ['Pick the "Express" option.', "choose | Express"],
  ["Select File > Export > PDF", "menu | File > Export > PDF"],
  [
    'Tick "I accept the terms" and uncheck the newsletter checkbox.',
    "check | I accept the terms | on true",
    "check | newsletter checkbox",
  ],
  ["Turn on notifications and turn marketing off.", "check | notifications | on true", "check | marketing"],
  ['Make sure that the "Remember me" checkbox is checked.', "check | Remember me checkbox | on true"],
  ["Check the 1st radio button.", "check | 1st radio button | on true"],
  ["Search for kettle.", "search | kettle"],
  ['Search the shop for "red mugs" and open the first result.', "search | red mugs", "open | first result"],
  ["Sort the products by price, lowest first.", "sort | by price | direction ascending"],
  ["Sort by date descending", "sort | by date | direction descending"],
  ["Filter by category: Kitchen.", "choose | Kitchen | from category"],
  ["Show only items in the Kitchen category.", "choose | Kitchen"],
  ["Go to the next page.", "page | which next"],
  ["Open page 3.", "page | which 3"],
  ["Expand the section below and click submit.", "expand | open true", "click | submit"],
  ['Expand "Delivery".', "expand | Delivery | open true"],
  ["Accept the cookies.", "dialog | answer accept"],
  ["Dismiss the popup.", "dialog | answer dismiss"],
  ["Click Delete and confirm it.", "click | Delete", "dialog | answer accept | button confirm"],
  ["Click Delete and say yes.", "click | Delete", "dialog | answer accept | button yes"],
  ["Confirm the order.", "click | Confirm the order"],
  ['Answer the dialog with "Soups".', "dialog | answer accept | text Soups"],
  ["Answer the dialog with no.", "dialog | answer dismiss"],
  ["Add two of the red mugs to the basket.", "add | count 2 | product red mugs | to basket"],
  ["Open the Brindle Kettle and add it to the cart.", "open | Brindle Kettle", "add | count 1 | to cart"],
  [
    "Proceed to checkout, continue to payment and place the order.",
    "click | Proceed to checkout",
    "click | continue to payment",
    "click | place the order",
  ],
  ["Remove the Brindle Kettle from the cart.", "click | Remove the Brindle Kettle from the cart"],
  ["Check out.", "click | Check out"],
  ["Scroll to the bottom of the page.", "scroll | to bottom"],
  ["Scroll down", "scroll | to down"],
  ["Wait 3 seconds, then click Next.", "wait | seconds 3", "click | Next"],
  ['Wait until "Done" appears.', "await | text Done"],
  ["Wait for the spinner to disappear.", "await | text spinner | gone true"],
  ["Press Escape", "press | keys Escape"],
  ["Press Ctrl+A in the message field.", "press | keys Control+a | message field"],
  ["Hover over Products and click Kitchen.", "hover | Products", "click | Kitchen"],
  ['Drag "Task 1" to "Done".', "drag | Task 1 | to Done"],
  [
    "Log in as jo@example.com with password s3cret and sign out.",
    "sign_in | user jo@example.com | password s3cret",
    "sign_out",
  ],
  ['Sign in with user "jo" and password "pa ss".', "sign_in | user jo | password pa ss"],
  [
    "1. Open the cart 2. Click Checkout 3. Choose express delivery",
    "open | cart",
    "click | Checkout",
    "choose | express delivery",
  ],
  ["Open the cart;click Checkout", "open | cart", "click | Checkout"],
  [
    "First open the cart. After that, click Checkout. Finally, click Pay.",
    "open | cart",
    "click | Checkout",
    "click | Pay",
  ],
  ["I want you to open the cart, and then I'd like you to click Checkout, thanks!", "open | cart", "click | Checkout"],
];

describe("explicit English", () => {
  test.each(UNDERSTOOD)("is understood: %s", (prompt, ...instructions) => {
    expect(summarize(prompt)).toEqual(instructions);
  });
});

const ASKED: readonly (readonly [string, object])[] = [
  [
    "What is the price of the Brindle Kettle?",
    { kind: "value", fields: ["price"], subject: { kind: "named", name: "Brindle Kettle" } },
  ],
  [
    "Search for lamp and tell me the name and price of the cheapest lamp.",
    {
      kind: "value",
      fields: ["name", "price"],
      subject: { kind: "extreme", noun: "lamp", by: "price", direction: "least" },
    },
  ],
  [
    "Open my orders and tell me when the newest order arrives.",
    { kind: "value", fields: ["arrives"], subject: { kind: "extreme", noun: "order", by: "date", direction: "most" } },
  ],
  [
    "List all products under £20 with name and price as JSON over all pages.",
    {
      kind: "value",
      fields: ["name", "price"],
      subject: {
        kind: "every",
        noun: "products",
        filter: { kind: "amount", about: null, from: null, to: { value: 20, isInclusive: false }, currency: "GBP" },
        limit: null,
        order: null,
      },
    },
  ],
  ["How many products are there?", { kind: "count", noun: "products", filter: null }],
  [
    "List my orders.",
    {
      kind: "value",
      fields: [],
      subject: { kind: "every", noun: "orders", filter: null, limit: null, order: null },
    },
  ],
  [
    "Place the order and report the order number.",
    { kind: "value", fields: ["order number"], subject: { kind: "page" } },
  ],
];

describe("a question", () => {
  test.each(ASKED)("is read for what it asks: %s", (prompt, question) => {
    const last = summarize(prompt).at(-1) ?? "";
    expect(last.startsWith("ask | ")).toBe(true);
    expect(JSON.parse(last.slice("ask | ".length))).toEqual(question);
  });
});
