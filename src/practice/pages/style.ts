/** The one style sheet of the signing pages: paper on a quiet deps, in light and dark, from a phone to a counter's screen. */
export const STYLE = `
@font-face { font-family: "Public Sans"; src: url("public-sans-regular.ttf"); font-weight: 400 }
@font-face { font-family: "Public Sans"; src: url("public-sans-semibold.ttf"); font-weight: 500 700 }
@font-face { font-family: Allura; src: url("allura.woff2") format("woff2"); font-display: swap }
:root {
  color-scheme: light dark;
  --deps: #e9eef0; --paper: #fff; --raised: #fff; --text: #16232a; --quiet: #4d5e67; --line: #d3dde1;
  --accent: #0d5c66; --accent-strong: #084851; --on-accent: #fff; --tint: #e6f1f2;
  --danger: #a3261f; --danger-tint: #fdeeec; --ok: #1c6b45; --ok-tint: #e7f4ec; --warn: #7a5200; --warn-tint: #fdf3df;
  --focus: #0b7c9b; --shadow: 0 1px 2px #10202814, 0 12px 36px #1020281a;
  --ink: #14316e;
  font: 18px/1.58 "Public Sans", system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif;
}
@media (prefers-color-scheme: dark) {
  :root {
    --deps: #0e1518; --paper: #182227; --raised: #1d292f; --text: #e6eef1; --quiet: #a3b5bd; --line: #33434b;
    --accent: #6cc7cd; --accent-strong: #93dade; --on-accent: #06272b; --tint: #17343a;
    --danger: #ff9d93; --danger-tint: #3a1d1b; --ok: #7fd3a4; --ok-tint: #16301f; --warn: #f1c56b; --warn-tint: #33270f;
    --focus: #7cd4ee; --shadow: 0 1px 2px #0006, 0 12px 36px #0007;
    --ink: #a9c4ff;
  }
}
/* Paper is white in the dark too: what is signed is what would be printed. */
@media (prefers-color-scheme: dark) {
  .paper { color-scheme: light; color: var(--text);
    --paper: #fff; --raised: #fff; --text: #16232a; --quiet: #4d5e67; --line: #d3dde1;
    --accent: #0d5c66; --accent-strong: #084851; --on-accent: #fff; --tint: #e6f1f2;
    --danger: #a3261f; --danger-tint: #fdeeec; --ok: #1c6b45; --ok-tint: #e7f4ec; --warn: #7a5200; --warn-tint: #fdf3df;
    --focus: #0b7c9b; --ink: #14316e }
}
* { box-sizing: border-box }
[hidden] { display: none !important }
form > .note { margin-bottom: 1.2rem }
html { background: var(--deps); color: var(--text); -webkit-text-size-adjust: 100% }
body { margin: 0; min-height: 100vh; min-height: 100dvh; display: flex; flex-direction: column }
h1, h2, h3, p, dl, dd, fieldset, legend, ol, ul { margin: 0; padding: 0 }
h1 { font-size: 1.9rem; line-height: 1.2; letter-spacing: -.015em; text-wrap: balance }
h2 { font-size: 1.15rem; line-height: 1.3 }
p { text-wrap: pretty }
a { color: var(--accent); text-underline-offset: .18em }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; border-radius: 6px }
.skip { position: absolute; left: -999px } .skip:focus { left: 1rem; top: .6rem; z-index: 3; background: var(--paper); padding: .5rem 1rem }

.bar { background: var(--paper); border-bottom: 1px solid var(--line);
  display: flex; align-items: center; gap: .8rem; padding: .7rem clamp(1rem, 4vw, 2rem) }
.mark { flex: none; width: 2.3rem; height: 2.3rem; border-radius: 9px; background: var(--accent); color: var(--on-accent);
  display: grid; place-items: center; font-weight: 700; letter-spacing: .02em; font-size: .95rem }
.bar strong { display: block; line-height: 1.25; font-size: 1rem }
.bar small { display: block; color: var(--quiet); font-size: .8rem; line-height: 1.3 }
.bar .who { min-width: 0; flex: 1 } .bar .who * { overflow: hidden; text-overflow: ellipsis; white-space: nowrap }
.practice { flex: none; font-size: .78rem; font-weight: 600; color: var(--warn); background: var(--warn-tint); border-radius: 99px; padding: .2rem .75rem }

.steps { list-style: none; display: flex; gap: .4rem; width: 100%; max-width: 46rem; margin: 1.4rem auto 0; padding: 0 1rem; font-size: .84rem; color: var(--quiet) }
.steps li { flex: 1; border-top: 4px solid var(--line); padding-top: .45rem; border-radius: 2px }
.steps .past { border-color: var(--accent) } .steps .now { border-color: var(--accent); color: var(--text); font-weight: 600 }

main { width: 100%; max-width: 48rem; margin: 0 auto; padding: 1.2rem 1rem 4rem; flex: 1 }
.paper, .card { background: var(--paper); border-radius: 10px; box-shadow: var(--shadow); border: 1px solid var(--line) }
.paper { padding: clamp(1.3rem, 6vw, 3.6rem) }
.card { padding: clamp(1.2rem, 4vw, 2.2rem); margin-top: 1.4rem }
.card h1 + p { margin-top: .7rem } .card > .summary { margin-top: 1.2rem } .card > label.field { margin-top: 1.4rem }
main > .card { margin-top: 0 }
.letterhead { display: flex; justify-content: space-between; gap: 1.5rem; flex-wrap: wrap; border-bottom: 2px solid var(--accent); padding-bottom: 1.1rem; margin-bottom: 2rem; font-size: .86rem; color: var(--quiet); line-height: 1.5 }
.letterhead b { color: var(--text); font-size: 1.02rem; display: block }
.letterhead div:last-child { text-align: right }
.paper > p { margin-top: 1.1rem }
.paper section { margin-top: 2rem } .paper section > * + * { margin-top: .7rem } .paper section > .field + .field { margin-top: 1.5rem }
.numbered { counter-reset: part }
.numbered > section.part > h2::before { counter-increment: part; content: counter(part) ".  "; color: var(--accent); font-weight: 700 }
dl.facts { display: grid; grid-template-columns: minmax(8rem, 15rem) 1fr; border-top: 1px solid var(--line) }
dl.facts > * { padding: .5rem 0; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; white-space: pre-wrap }
dl.facts dt { color: var(--quiet); padding-right: 1rem }

.field { display: block; margin-top: 1.2rem; border: 0; min-width: 0 }
.field > label.choice { margin: 0 }
.field > label:not(.choice), .field > legend { display: block; font-weight: 600; margin-bottom: .35rem }
.optional { font-weight: 400; color: var(--quiet); font-size: .88em }
.help { color: var(--quiet); font-size: .9rem; margin-top: .35rem }
input[type=text], input[type=email], input[type=date], input[type=tel], select, textarea {
  width: 100%; min-height: 3rem; padding: .6rem .8rem; font: inherit; color: inherit; background: var(--raised);
  border: 1.5px solid color-mix(in srgb, var(--quiet) 62%, transparent); border-radius: 7px }
textarea { min-height: 6.2rem; resize: vertical }
input[type=file] { font: inherit; width: 100% ; padding: .5rem 0 }
input:focus, select:focus, textarea:focus { outline: 3px solid var(--focus); outline-offset: 1px; border-color: transparent }
[aria-invalid=true] { border-color: var(--danger) !important; background: var(--danger-tint) }
.wrong { color: var(--danger); font-weight: 600; margin-top: .35rem; font-size: .94rem }
.choice, .field > label.choice { display: flex; font-weight: 400; gap: .75rem; align-items: flex-start; padding: .55rem .2rem; min-height: 44px; cursor: pointer }
.choice input { flex: none; width: 1.4rem; height: 1.4rem; margin: .12rem 0 0; accent-color: var(--accent) }
.choices { display: flex; flex-wrap: wrap; gap: .1rem 1.6rem }
.summary { border-left: 5px solid var(--danger); background: var(--danger-tint); border-radius: 8px; padding: 1rem 1.2rem; margin-bottom: 1.4rem }
.summary ul { padding-left: 1.2rem; margin-top: .4rem } .summary a { color: var(--danger) }
.note { background: var(--tint); border: 1px solid color-mix(in srgb, var(--accent) 25%, transparent); border-radius: 8px; padding: .9rem 1.1rem; font-size: .95rem }

.signatures { display: grid; grid-template-columns: repeat(auto-fit, minmax(15rem, 1fr)); gap: 1.8rem 2.4rem; padding-top: .4rem }
.signatures .over { border-bottom: 1.5px solid var(--text); min-height: 5rem; display: flex; align-items: flex-end; padding: 0 .4rem .3rem; margin-bottom: .45rem }
.signatures .hand { font: 2.7rem/1.15 Allura, "Segoe Script", cursive; color: var(--ink); overflow-wrap: anywhere }
.signatures img { height: 4.4rem; max-width: 100%; object-fit: contain; object-position: left bottom }
.signatures small { display: block; color: var(--quiet); font-size: .86rem; line-height: 1.45 } .signatures b { color: var(--text) }
.signatures .none { color: var(--quiet); font-size: .95rem }
@media (prefers-color-scheme: dark) { .signatures img { filter: invert(1) hue-rotate(180deg) brightness(1.15) } }

.ways { display: inline-flex; gap: 0; border: 1.5px solid var(--line); border-radius: 9px; overflow: hidden; margin: .9rem 0 1rem }
.ways label { padding: .55rem 1.1rem; cursor: pointer; min-height: 44px; display: flex; align-items: center; font-weight: 600 }
.ways label:has(:checked) { background: var(--accent); color: var(--on-accent) }
.ways label:has(:focus-visible) { outline: 3px solid var(--focus); outline-offset: -3px }
.ways input { position: absolute; opacity: 0; width: 1px; height: 1px }
.preview { min-height: 5.4rem; display: flex; align-items: flex-end; margin-top: .8rem; padding: .2rem 1rem .3rem; border-bottom: 2px solid var(--text);
  font: 3rem/1.2 Allura, "Segoe Script", cursive; color: var(--ink); overflow-wrap: anywhere }
.pad { position: relative; border: 2px dashed var(--line); border-radius: 10px; background: var(--raised); overflow: hidden }
.pad canvas { display: block; width: 100%; height: 12rem; touch-action: none; cursor: crosshair; color: var(--ink) }
.pad::after { content: ""; position: absolute; left: 6%; right: 6%; bottom: 2.6rem; border-bottom: 1.5px solid var(--line); pointer-events: none }
.pad span { position: absolute; left: 6%; bottom: .7rem; color: var(--quiet); font-size: .86rem; pointer-events: none }
.pad button { position: absolute; right: .5rem; bottom: .35rem }

button, .button { font: inherit; font-weight: 600; min-height: 3.1rem; padding: .55rem 1.5rem; border-radius: 8px; cursor: pointer; border: 1.5px solid transparent;
  display: inline-flex; align-items: center; justify-content: center; text-decoration: none; transition: background-color .12s, border-color .12s }
.primary { background: var(--accent); color: var(--on-accent) } .primary:hover { background: var(--accent-strong) }
.plain { background: none; color: var(--text); border-color: var(--line) } .plain:hover { border-color: var(--quiet) }
.small { min-height: 2.75rem; padding: .3rem .9rem; font-size: .9rem; background: var(--raised) }
.danger { background: var(--danger); color: var(--paper) }
.actions { display: flex; flex-wrap: wrap; gap: .8rem; justify-content: space-between; align-items: center; margin-top: 1.6rem }
.actions .primary { min-width: 12rem }

.centre { flex: 1; display: grid; place-items: center; padding: 2rem 1rem }
.centre .card { width: 100%; max-width: 36rem; margin: 0; text-align: left }
.centre h1 { margin-bottom: .7rem } .centre p + p { margin-top: .8rem }
.emblem { width: 4rem; height: 4rem; border-radius: 50%; display: grid; place-items: center; margin-bottom: 1.2rem; background: var(--tint); color: var(--accent) }
.emblem svg { width: 2.1rem; height: 2.1rem } .emblem.ok { background: var(--ok-tint); color: var(--ok) }
.emblem.stop { background: var(--danger-tint); color: var(--danger) } .emblem.wait { background: var(--warn-tint); color: var(--warn) }
.handover { text-align: center; padding: clamp(1.5rem, 6vh, 5rem) 1rem }
.handover p { font-size: clamp(1.2rem, 3.4vw, 1.7rem); color: var(--quiet) }
.handover h1 { font-size: clamp(2.4rem, 8.5vw, 5.2rem); line-height: 1.08; margin: .5rem 0 1.1rem; overflow-wrap: anywhere }
.handover .primary { font-size: clamp(1.15rem, 3vw, 1.5rem); min-height: 4.4rem; padding: .8rem 2.4rem; margin-top: 2.4rem; border-radius: 12px; max-width: 100% }
.handover form + p { font-size: 1rem; margin-top: 1.6rem }
footer { padding: 1rem; text-align: center; color: var(--quiet); font-size: .82rem }
.film { aspect-ratio: 16 / 9; max-height: 40vh; width: 100%; border-radius: 10px; background: linear-gradient(160deg, #23404a, #0f2026); color: #cfe3e8; display: grid; place-items: center; margin: 1.2rem 0 }
.film { overflow: hidden } .film > * { grid-area: 1 / 1 }
.film svg { width: 5.5rem; height: 5.5rem; opacity: .9 }
.film video, .film img { width: 100%; height: 100%; min-height: 0; object-fit: cover }
.film video { transform: scaleX(-1) }
.camera .actions { margin-top: .6rem } .camera .note, .camera ~ .note { margin-top: .8rem }

@media (max-width: 40rem) {
  :root { font-size: 17px }
  main { padding: .8rem .6rem 6.5rem } h1 { font-size: 1.55rem }
  .practice { font-size: .72rem; padding: .15rem .55rem } .steps { margin-top: .9rem; padding: 0 .8rem }
  .letterhead div:last-child { text-align: left } dl.facts { grid-template-columns: 1fr } dl.facts dt { border: 0; padding-bottom: 0 } dl.facts dd { padding-top: .1rem }
  .actions { flex-direction: column-reverse; align-items: stretch } .actions .primary { width: 100% }
}
@media (prefers-reduced-motion: reduce) { * { transition: none !important } }
@media print { .bar, .steps, .actions, .card, footer { display: none } .paper { box-shadow: none; border: 0 } }
@media (forced-colors: active) { .ways label:has(:checked) { outline: 3px solid } }
`
