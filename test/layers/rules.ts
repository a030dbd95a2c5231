/** Which room may import which, and what to do instead. Dependencies point one way: see docs/architecture.md. */

interface Rule {
  /** Files that the rule applies to, as paths from the project's root. */
  files: RegExp
  /** Imports that they may not have: paths from the project's root, or package names. */
  mayNot: RegExp
  /** What to do instead. */
  instead: string
}

const rules: readonly Rule[] = [
  {
    files: /^src\/(?!main\/shell\/|main\/(index|app|foundation|lifecycle|serve-screens)\.ts$|preload\/)/,
    mayNot: /^electron(\/.*)?$/,
    instead:
      'Only src/main/shell (and the entry, app.ts, foundation.ts, lifecycle.ts and serve-screens.ts beside it) may import electron. Take what you need as a parameter, and pass it in from the shell.'
  },
  {
    files: /^src\/shared\/(?!composition\/|identity-lines\.ts$)/,
    mayNot: /^(?!src\/shared\/|zod$)/,
    instead:
      'src/shared may import only itself and zod: it runs in every process. Move the code that needs more to main or renderer.'
  },
  {
    files: /^src\/shared\/composition\//,
    mayNot: /^(?!src\/shared\/|zod$|libphonenumber-js\/mobile$|saxes$)/,
    instead:
      'src/shared/composition may import only src/shared, zod, libphonenumber-js/mobile and saxes: it runs in every process. Move the code that needs more to main or renderer.'
  },
  {
    files: /^src\/shared\/identity-lines\.ts$/,
    mayNot: /^(?!src\/shared\/|mrz$)/,
    instead: 'It may import only src/shared and mrz: it runs in the window and in main.'
  },
  {
    files: /^src\/shared\/model\//,
    mayNot: /^src\/shared\/(?!model\/)/,
    instead: 'The model knows nothing of contract or composition. Let those import the model.'
  },
  {
    files: /^src\/main\/core\//,
    mayNot: /^src\/(?!shared\/|main\/core\/)/,
    instead:
      'src/main/core may import only src/shared and itself. Define a port (an interface) in core, and pass the part in from one of the layers of src/main/app.ts.'
  },
  {
    files: /^src\/main\/core\/outbox\//,
    mayNot: /^src\/main\/core\/bulk\/bulk\.ts$/,
    instead:
      'A sheet goes to the outbox, which it knows as a port; the outbox knows nothing of it. Put what both need beside the outbox.'
  },
  {
    files: /^src\/main\/core\/(jobs|verifications)\//,
    mayNot: /^src\/main\/core\/(actions|bulk|downloads|drop-folders|outbox)\//,
    instead: 'What several kinds of jobs are made of is in core/jobs. Move it there.'
  },
  {
    files: /^src\/main\/ipc\//,
    mayNot: /^src\/(?!shared\/|main\/(core|ipc)\/)/,
    instead: 'src/main/ipc may import src/shared and src/main/core. Take what the shell does as a parameter.'
  },
  {
    files: /^src\/main\/shell\//,
    mayNot: /^src\/(?!shared\/|main\/(core|ipc|shell)\/|practice\/office\.ts$)/,
    instead: 'The shell may import shared, core, ipc and the practice service’s office.ts. Put what it needs there.'
  },
  {
    files: /^src\/practice\//,
    mayNot: /^src\/(?!practice\/|shared\/model\/)/,
    instead: 'The practice service knows only src/shared/model, like any other service that speaks this interface.'
  },
  {
    files: /^src\/preload\//,
    mayNot: /^(?!electron$|virtual:request-names$|src\/preload\/|src\/shared\/contract\/api\.ts$)/,
    instead:
      'The preload is derived from the contract and carries no schemas: the names of its requests are read at build (scripts/request-names.ts). What it does with them belongs to main.'
  },
  {
    files: /^src\/renderer\//,
    mayNot: /^(src\/(?!renderer\/|shared\/)|node:|electron)/,
    instead:
      'Screens know only src/shared. Ask main through window.countersign; if there is no request for it, add one to the contract.'
  },
  {
    files: /^src\//,
    mayNot: /^(test|scripts)\//,
    instead: 'What ships may not depend on tests or scripts. Move the shared part into src.'
  }
]

/** Returns the complaint about an import, or undefined if it is allowed. */
export function complaint(file: string, imported: string): string | undefined {
  const broken = rules.find((rule) => rule.files.test(file) && rule.mayNot.test(imported))
  return broken && `${file} imports ${imported}. ${broken.instead}`
}
