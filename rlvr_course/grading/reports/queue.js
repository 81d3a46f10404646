(() => {
  const names = ["notebook", "question", "learner", "score", "comment", "answer_id"];
  const cell = (text) => {
    const safe = /^ *[=+\-@\t\r\n']/.test(text) ? "'" + text : text;
    return '"' + safe.replaceAll('"', '""') + '"';
  };
  let changed = false;
  document.addEventListener("input", () => { changed = true; });
  addEventListener("beforeunload", (event) => { if (changed) event.preventDefault(); });
  const button = document.querySelector("#save");
  button.hidden = false;
  button.addEventListener("click", () => {
    const rows = [...document.querySelectorAll(".answer")].map((answer) => [
      answer.dataset.notebook, answer.dataset.question, answer.dataset.learner,
      answer.querySelector("input").value.trim(), answer.querySelector("textarea").value.trim(),
      answer.dataset.answer,
    ]);
    const lines = [names, ...rows].map((row) => row.map(cell).join(","));
    const link = document.createElement("a");
    const file = new Blob(["\ufeff" + lines.join("\n") + "\n"], { type: "text/csv" });
    link.href = URL.createObjectURL(file);
    link.download = "manual.csv";
    link.click();
    changed = false;
  });
})();
