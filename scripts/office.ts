/** The administrator's command for office mode, run from source: `npm run office -- COMMAND …`; see docs/office.md. */
import { resetPin } from '../src/main/core/counter/pin-reset.ts'
import { runOfficeCommand } from '../src/main/core/office/command.ts'

process.exitCode = await runOfficeCommand(process.argv.slice(2), {
  resetPin,
  programName: 'npm run office --',
  password: process.env.PGPASSWORD,
  say: (line) => console.log(line),
  warn: (line) => console.error(line)
})
