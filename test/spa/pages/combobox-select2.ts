import jquery from "jquery";
import "select2/dist/css/select2.css";
import install from "select2";
import { root, save, show } from "./_page.ts";

if (typeof install === "function") (install as (window: Window, jQuery: typeof jquery) => void)(window, jquery);

root().innerHTML = `<form>
  <p><label for="country">Country</label> <select id="country" style="width: 300px"><option></option>
    <option value="dk">Denmark</option><option value="no">Norway</option><option value="se">Sweden</option></select></p>
  <p><label for="topics">Topics</label> <select id="topics" multiple style="width: 300px">
    <option>Art</option><option selected>Books</option><option>Cooking</option></select></p>
  <p><label for="city">City</label> <select id="city" style="width: 300px"></select></p>
  <button type="submit">Save</button></form>`;

jquery("#country").select2({ placeholder: "Pick one" });
jquery("#topics").select2();
jquery("#city").select2({
  ajax: { url: "/cities", delay: 100, dataType: "json", processResults: (results: unknown) => ({ results }) },
  minimumInputLength: 1,
});

const read = () => ({
  country: jquery("#country").val(),
  topics: jquery("#topics").val(),
  city: jquery("#city").val(),
});
jquery("select").on("change", () => show(read()));
jquery("form").on("submit", (event) => {
  event.preventDefault();
  void save(read());
});
show(read());
