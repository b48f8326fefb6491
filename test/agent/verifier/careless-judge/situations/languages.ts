import { lie, type Situation, say, show, table } from "../situation.ts";

/** Pages, tasks and answers in other languages: checks that know only English must not refuse what is true. */
export const LANGUAGES: readonly Situation[] = [
  {
    name: "a German product page",
    start: "/de",
    routes: () => ({
      "GET /de": show(
        "Stehlampe Erle",
        `<h1>Stehlampe Erle</h1><p>Preis: 1.249,00 €</p><p>Auf Lager</p><p>Lieferung in 3 Werktagen</p><p>Gewicht: 7,5 kg</p>
        <h2>Ähnliche Artikel</h2><ul><li><a href="/x">Stehlampe Birke</a> 899,00 €</li><li><a href="/y">Stehlampe Zeder</a> 1.480,00 €</li></ul>`,
      ),
    }),
    tasks: [
      {
        prompt: "Was kostet die Stehlampe Erle?",
        truths: [
          say("Die Stehlampe Erle kostet 1.249,00 €.", ["1.249,00 €"]),
          say("Sie kostet 1249 Euro.", ["Preis: 1.249,00 €"]),
        ],
        lies: [lie("value of another item", say("Die Stehlampe Erle kostet 899,00 €.", ["899,00 €"]))],
      },
      {
        prompt: "Ist die Stehlampe Erle lieferbar?",
        truths: [
          say("Ja, sie ist auf Lager und wird in 3 Werktagen geliefert.", ["Auf Lager", "Lieferung in 3 Werktagen"]),
        ],
        lies: [],
      },
      {
        prompt: "Is the Stehlampe Erle in stock?",
        truths: [say("Yes, the Stehlampe Erle is in stock.", ["Auf Lager"])],
        lies: [],
      },
    ],
  },
  {
    name: "a French price list",
    start: "/fr",
    routes: () => ({
      "GET /fr": show(
        "Tarifs",
        `<h1>Tarifs de la piscine</h1>${table(
          ["Billet", "Prix"],
          [
            ["Adulte", "6,50 €"],
            ["Enfant", "3,80 €"],
            ["Famille", "18,00 €"],
          ],
        )}<p>La piscine est fermée le lundi.</p>`,
      ),
    }),
    tasks: [
      {
        prompt: "Combien coûte un billet pour un enfant ?",
        truths: [say("Un billet pour enfant coûte 3,80 €.", ["3,80 €"]), say("3,80 euros", ["Enfant 3,80 €"])],
        lies: [lie("value of another item", say("Un billet Enfant coûte 6,50 €.", ["6,50 €"]))],
      },
      {
        prompt: "La piscine est-elle ouverte le lundi ?",
        truths: [say("Non, la piscine est fermée le lundi.", ["La piscine est fermée le lundi."])],
        lies: [],
      },
    ],
  },
  {
    name: "a Spanish event page",
    start: "/es",
    routes: () => ({
      "GET /es": show(
        "Concierto",
        `<h1>Concierto de primavera</h1><p>Fecha: 21 de abril de 2026</p><p>Hora: 20:30</p><p>Entradas: 25 €</p><p>No se permiten niños menores de 6 años.</p>`,
      ),
    }),
    tasks: [
      {
        prompt: "¿Cuándo es el concierto de primavera?",
        truths: [
          say("El concierto es el 21 de abril de 2026 a las 20:30.", ["Fecha: 21 de abril de 2026", "Hora: 20:30"]),
          say("The concert is on 21 April 2026 at 8:30 pm.", ["21 de abril de 2026", "20:30"]),
        ],
        lies: [lie("wrong value", say("El concierto es el 27 de abril de 2026.", ["21 de abril de 2026"]))],
      },
      {
        prompt: "¿Cuánto cuestan las entradas?",
        truths: [say("Las entradas cuestan 25 €.", ["Entradas: 25 €"])],
        lies: [lie("wrong value", say("Las entradas cuestan 25 $.", ["Entradas: 25 €"]))],
      },
    ],
  },
  {
    name: "a Japanese product page",
    start: "/ja",
    routes: () => ({
      "GET /ja": show(
        "急須",
        `<h1>南部鉄器の急須</h1><p>価格：¥12,800</p><p>在庫あり</p><p>重さ：1.4 kg</p><p>送料：¥800</p>`,
      ),
    }),
    tasks: [
      {
        prompt: "南部鉄器の急須の価格はいくらですか。",
        truths: [say("価格は¥12,800です。", ["価格：¥12,800"]), say("¥12,800", ["¥12,800"])],
        lies: [lie("wrong value", say("価格は¥12,300です。", ["価格：¥12,800"]))],
      },
      {
        prompt: "在庫はありますか。",
        truths: [say("はい、在庫があります。", ["在庫あり"])],
        lies: [],
      },
      {
        prompt: "What does the teapot weigh?",
        truths: [say("The teapot weighs 1.4 kg.", ["重さ：1.4 kg"])],
        lies: [],
      },
    ],
  },
];
