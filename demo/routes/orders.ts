import { notFoundPage } from "../pages/error-pages.ts";
import { cancelPage, orderPage, ordersPage } from "../pages/order-pages.ts";
import { redirect, type SiteResponse } from "../site/response.ts";
import { member, type Route } from "../site/route.ts";
import type { MemberVisit } from "../site/visit.ts";
import { isCancellable, type Order } from "../trade/orders.ts";

export const ORDER_ROUTES: readonly Route[] = [
  member("GET", "/account/orders", (visit) => ordersPage(visit, visit.shop.orders.of(visit.account.email))),
  ofOrder("GET", "", orderPage),
  ofOrder("GET", "/cancel", (visit, order) =>
    isCancellable(order, visit.today) ? cancelPage(visit, order) : tooLate(visit, order),
  ),
  ofOrder("POST", "/cancel", cancel),
];

function ofOrder(
  method: Route["method"],
  tail: string,
  handle: (visit: MemberVisit, order: Order) => SiteResponse,
): Route {
  return member(method, `/account/orders/:number${tail}`, (visit) => {
    const order = visit.shop.orders.find(visit.account.email, visit.params["number"] ?? "");
    return order === undefined ? notFoundPage() : handle(visit, order);
  });
}

function cancel(visit: MemberVisit, order: Order): SiteResponse {
  if (!isCancellable(order, visit.today)) return tooLate(visit, order);
  order.cancelled = true;
  visit.shop.stock.putBack(order.lines);
  visit.session.notice = `Order ${order.number} is cancelled.`;
  return redirect(`/account/orders/${order.number}`);
}

function tooLate({ session }: MemberVisit, { number }: Order): SiteResponse {
  session.notice = `Order ${number} cannot be cancelled any more.`;
  return redirect(`/account/orders/${number}`);
}
