/** `npm run practice`: the practice service alone. Prints one line of JSON when it listens; ends on Ctrl+C. */
import { parseArgs } from 'node:util'
import { newCredentials, openPracticeOffice } from '../src/practice/office.ts'
import type { SeedName } from '../src/practice/seed.ts'

const USAGE = `Use: npm run practice -- [--port N] [--auth none|hmac|bearer] [--data demo|empty|NUMBER] [--state FILE] [--base /web/v1.4]`

function fail(message: string): never {
  console.error(`${message}\n${USAGE}`)
  process.exit(2)
}

function readArguments() {
  try {
    const { values } = parseArgs({
      options: {
        port: { type: 'string', default: '0' },
        auth: { type: 'string', default: 'none' },
        data: { type: 'string', default: 'demo' },
        state: { type: 'string' },
        base: { type: 'string' },
        help: { type: 'boolean', default: false }
      }
    })
    return values
  } catch (error) {
    return fail((error as Error).message)
  }
}

function readPort(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65535) return Number(text)
  return fail(`--port must be a number from 0 (any free port) to 65535, not "${text}".`)
}

function readScheme(text: string) {
  if (text === 'none' || text === 'hmac' || text === 'bearer') return text
  return fail(`--auth must be none, hmac or bearer, not "${text}".`)
}

function readData(text: string): SeedName {
  if (text === 'demo' || text === 'empty') return text
  if (/^\d{1,6}$/.test(text)) return Number(text)
  return fail(`--data must be demo, empty or a number of documents up to 999999, not "${text}".`)
}

const values = readArguments()
if (values.help) {
  console.log(USAGE)
  process.exit(0)
}
const port = readPort(values.port)
const auth = newCredentials(readScheme(values.auth))
const data = readData(values.data)

const office = await openPracticeOffice({
  port,
  auth,
  data,
  ...(values.state ? { stateFile: values.state } : {}),
  ...(values.base ? { basePath: values.base } : {})
}).catch((error: NodeJS.ErrnoException) => {
  if (error.code === 'EADDRINUSE') return fail(`Port ${port} is taken. Choose another, or --port 0 for any free one.`)
  return fail(`The practice service could not start: ${error.message}`)
})

if (office.setAside) console.error(`The state file could not be read and was put aside as ${office.setAside}.`)
const { scheme, ...credentials } = auth
console.log(JSON.stringify({ url: office.url, auth: scheme, ...credentials, data }))

let closing = false
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, async () => {
    if (closing) return
    closing = true
    await office.close()
    process.exit(0)
  })
}
