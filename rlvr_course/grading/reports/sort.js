(() => {
  const table = document.querySelector("table.learners");
  if (!table) return;
  const body = table.tBodies[0], bar = document.querySelector(".sorting");
  const heads = [...table.tHead.rows[0].cells];
  const key = (row, at) => row.cells[at].textContent.trim();
  let sorted = -1, rising = true;
  const buttons = heads.map((head, at) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    button.setAttribute("aria-pressed", "false");
    button.addEventListener("click", () => {
      rising = sorted === at ? !rising : true;
      sorted = at;
      const order = (a, b) => {
        const x = key(a, at), y = key(b, at);
        const numbers = head.classList.contains("number");
        const found = numbers ? (x === "" ? -1 : +x) - (y === "" ? -1 : +y) : x.localeCompare(y);
        return rising ? found : -found;
      };
      body.append(...[...body.rows].sort(order));
      buttons.forEach((other, place) => {
        other.setAttribute("aria-pressed", String(place === at));
        const arrow = rising ? " ↑" : " ↓";
        other.textContent = heads[place].textContent + (place === at ? arrow : "");
      });
    });
    return button;
  });
  bar.append("sort by", ...buttons);
  bar.style.display = "flex";
})();
