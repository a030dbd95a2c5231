/** The administrator's command for office mode, run from source: `npm run office -- COMMAND …`; see docs/office.md. */
import { resetPin } from '../src/main/core/counter/pin-reset.ts'
import { officeCommand } from '../src/main/core/office/command.ts'

process.exitCode = await officeCommand(process.argv.slice(2), {
  resetPin,
  begunBy: 'npm run office --',
  password: process.env.PGPASSWORD,
  say: (line) => console.log(line),
  warn: (line) => console.error(line)
})
