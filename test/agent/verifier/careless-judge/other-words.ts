import { say, type Told } from "./situation.ts";

/** More true claims about the same runs, in the words of somebody who explains more: by prompt. */
export const OTHER_WORDS: Readonly<Record<string, readonly Told[]>> = {
  "What does the Alder lamp cost?": [
    say("The Alder lamp is priced at €45.00.", ["€45.00"]),
    say("According to the product page, the Alder lamp currently sells for €45.00.", ["€45.00"]),
    say("The price of the Alder lamp is €45.00, and it is available from stock.", ["€45.00", "In stock"]),
  ],
  "Is the Alder lamp in stock?": [
    say("Yes, it's available right now and would be delivered within 3 days.", [
      "In stock",
      "Delivered within 3 days.",
    ]),
    say("Yes. The product page lists the Alder lamp as in stock.", ["In stock"]),
  ],
  "What is the Alder lamp made of, and how long does delivery take?": [
    say("The lamp is a combination of oak and brass. Delivery takes up to 3 days.", [
      "Oak and brass",
      "Delivered within 3 days.",
    ]),
  ],
  "Can I buy the Fern vase now?": [
    say("Unfortunately not: the Fern vase is currently sold out. The shop expects it back on 4 May 2026.", [
      "Sold out",
      "Back in stock on 4 May 2026.",
    ]),
    say("You can't buy it at the moment, because it is out of stock.", ["Sold out"]),
  ],
  "How much is the Heath blanket?": [
    say("The Heath blanket is on sale for €89.00 (it used to be €120.00, so you save €31.00).", [
      "€89.00",
      "€120.00",
      "You save €31.00",
    ]),
  ],
  "What does the Team plan cost?": [
    say("The Team plan is €29 per month and includes 10 seats.", ["Team €29 per month 10"]),
    say("You would pay €29 every month for the Team plan.", ["€29 per month"]),
  ],
  "Can I cancel a plan at any time?": [
    say("Yes. The page states that every plan can be cancelled whenever you like.", [
      "All plans can be cancelled at any time.",
    ]),
  ],
  "What do tickets for the guided walks cost?": [
    say("A ticket costs €12 to €18, depending on the walk.", ["Tickets: €12–€18"]),
    say("Ticket prices range from €12 to €18.", ["Tickets: €12–€18"]),
  ],
  "When does the Harbour Museum close on Saturday?": [
    say("On Saturdays the Harbour Museum is open from 11:00 to 19:00, so it closes at 19:00.", [
      "Saturday 11:00 19:00",
    ]),
  ],
  "Are dogs allowed in the museum?": [
    say("No – the Harbour Museum does not allow dogs.", ["Dogs are not allowed."]),
    say("You can't bring a dog: the museum doesn't permit them.", ["Dogs are not allowed."]),
  ],
  "Is the museum open on Mondays?": [say("It isn't; the museum stays closed on Mondays.", ["Closed on Mondays."])],
  "What is my balance?": [
    say("Your account is overdrawn by €125.40 (balance: −€125.40).", ["Balance −€125.40"]),
    say("You currently have a negative balance of −€125.40.", ["−€125.40"]),
  ],
  "What is the price of the Tern radio?": [say("The Tern radio is listed at €64.00.", ["Price: €64.00"])],
  "What is the rating of the Marsh boots?": [
    say("Customers rate the Marsh boots 4.1 out of 5.", ["Rating: 4.1 out of 5"]),
  ],
  "Who wrote the article?": [
    say("The article was written by Lena Hoff and published on 2 February 2026.", ["By Lena Hoff, 2 February 2026"]),
    say("Its author is Lena Hoff.", ["By Lena Hoff, 2 February 2026"]),
  ],
  "How long is the bridge and what did it cost?": [
    say("The new bridge in Dunmore has a length of 180 metres. Building it cost €4.2 million.", [
      "It cost 4.2 million euros and is 180 metres long.",
    ]),
  ],
  "Has order T-4410 been shipped?": [
    say('Not yet: the status of order T-4410 is still "Not shipped yet".', ["Status: Not shipped yet"]),
    say("No, it's still waiting to be shipped, although the payment went through.", [
      "Status: Not shipped yet",
      "Payment: accepted",
    ]),
  ],
  "Where will order T-4410 be delivered?": [
    say("The delivery address is Mill Lane 4 in Ghent.", ["Deliver to: Mill Lane 4, Ghent"]),
  ],
  "Which lamp is the cheapest?": [
    say("The cheapest of the four lamps is Elm, which costs €18.00.", ["Elm €18.00 31"]),
    say("That would be the Elm lamp, at €18.00; the next cheapest is Birch at €30.00.", [
      "Elm €18.00 31",
      "Birch €30.00 0",
    ]),
  ],
  "Which lamp is the most expensive, and how many of it are in stock?": [
    say("The Cedar lamp has the highest price (€72.50). The shop has 4 of them.", ["Cedar €72.50 4"]),
  ],
  "How many lamps are there?": [say("The page lists 4 lamps.", ["Alder", "Birch", "Cedar", "Elm"])],
  "How many soaps are there?": [
    say("Across the three pages there are 9 soaps in total.", [
      "Ash soap €1.00",
      "Bay soap €1.10",
      "Fig soap €1.20",
      "Gum soap €2.00",
      "Hop soap €2.10",
      "Ivy soap €2.20",
      "Kai soap €3.00",
      "Lime soap €3.10",
      "Moss soap €3.20",
    ]),
  ],
  "What is the phone number of Jon Park?": [
    say("You can reach Jon Park, who works in Support, at 4521.", ["Jon Park 4521"]),
  ],
  "What was the total of receipt R-77?": [say("Receipt R-77 comes to €92.50 for five items.", ["Total 5 €92.50"])],
  "How was it paid?": [say("By card, on 9 January 2026.", ["Paid by card on 9 January 2026."])],
  "Does the shop sell kites? Search for kite.": [
    say('It doesn\'t look like it: a search for "kite" returned no results.', ["No results for kite."]),
  ],
  "What is the subject of the newest message from Tom Reed?": [
    say('Tom Reed\'s most recent email, received on 2 April 2026, has the subject "Invoice for March".', [
      "Tom Reed Invoice for March 2 April 2026",
    ]),
  ],
  "How many unread messages do I have?": [say("Just one message in your inbox is unread.", ["Unread: 1"])],
  "When is the dentist appointment?": [
    say("Your dentist appointment is on Tuesday, 7 April 2026, at 14:30.", [
      "Tuesday 14:30 Dentist",
      "Calendar, week of 6 April 2026",
    ]),
  ],
  "Add the note Water the ferns.": [
    say('Done. The note "Water the ferns" now appears in your list of notes.', [], ["Water the ferns"]),
  ],
  'Send the message "Is the garden open in May?" from rosa@example.com with the contact form.': [
    say(
      "I filled in the contact form and sent your question. The site confirmed that it received the message.",
      [],
      ["We have received your message."],
    ),
  ],
  "Change my nickname to vidal.": [
    say("Your nickname has been updated from rose to vidal.", [], [{ field: "Nickname", value: "vidal" }]),
  ],
  "Change my city to Bruges.": [
    say("I updated your city from Ghent to Bruges and saved the settings.", [], [{ field: "City", value: "Bruges" }]),
  ],
  "Delete the file Draft.": [say("I deleted the file called Draft. The other files were left alone.", [], ["Budget"])],
  "Put two Reef mugs into my cart.": [
    say("I added 2 Reef mugs to the cart. The total is now €18.00.", ["Total: €18.00"], ["Reef mug × 2"]),
  ],
  "Order the Quill pen to Mill Lane 4 and tell me the order number.": [
    say(
      "Your order has been placed and will be delivered to Mill Lane 4. The order number is T-901.",
      ["Order T-901"],
      ["Your order was placed."],
    ),
  ],
  "Subscribe rosa@example.com to the newsletter.": [
    say(
      "I've signed rosa@example.com up for the newsletter, and the site confirmed it.",
      [],
      ["rosa@example.com is now subscribed."],
    ),
  ],
  "Book room 2 for Rosa Vidal from 14 May 2026.": [
    say(
      "I booked room 2 in the name of Rosa Vidal, starting on 14 May 2026.",
      [],
      ["Room 2, Rosa Vidal, from 14 May 2026"],
    ),
  ],
};
