/**
 * `npm run practice`: runs only the practice service. Prints one line of JSON once it is listening, and with `--auth
 * oauth` one for each access token; ends on Ctrl+C.
 */
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import type { AuthScheme } from '../src/practice/authentication.ts'
import { type Conditions, DIALECTS, REFUSALS, readDialects } from '../src/practice/dialects.ts'
import { newCredentials, openPracticeOffice } from '../src/practice/office.ts'
import type { SeedName } from '../src/practice/seed.ts'

const SCHEMES = ['none', 'hmac', 'bearer', 'bearer-and-key', 'basic', 'headers', 'oauth'] as const

const USAGE = `Use: npm run practice -- [OPTIONS]
  --port N                        0, or absent, for a free one
  --auth ${SCHEMES.join('|')}
                                  who is let in; with --key, --secret and --referer (hmac), --token (bearer), all four (bearer-and-key),
                                  --user and --password (basic), --header 'NAME: VALUE' (headers), or --client, --secret and
                                  --lifetime S of access tokens (oauth) for credentials of your own; type “expire” and Enter to let
                                  the access tokens (oauth) expire at once
  --data demo|empty|NUMBER        what a new office has
  --state FILE                    keeps the office there
  --base /web/v1.4                finds operations under this path only
  --dialect NAME[,NAME…]          answers as another service might: ${DIALECTS.join(', ')}
  --refusal ${REFUSALS.join('|')}   refuses every operation so
  --left N                        documents left in the plan
  --clock S                       the service's clock is S seconds ahead, or behind where negative`

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
        dialect: { type: 'string' },
        refusal: { type: 'string' },
        left: { type: 'string' },
        clock: { type: 'string' },
        key: { type: 'string' },
        secret: { type: 'string' },
        referer: { type: 'string' },
        token: { type: 'string' },
        user: { type: 'string' },
        password: { type: 'string' },
        header: { type: 'string' },
        client: { type: 'string' },
        lifetime: { type: 'string' },
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
  return (
    SCHEMES.find((scheme) => scheme === text) ?? fail(`--auth must be one of ${SCHEMES.join(', ')}, not "${text}".`)
  )
}

function readData(text: string): SeedName {
  if (text === 'demo' || text === 'empty') return text
  if (/^\d{1,6}$/.test(text)) return Number(text)
  return fail(`--data must be demo, empty or a number of documents up to 999999, not "${text}".`)
}

function readHeader(text: string): Record<string, string> {
  const [, name, value] = /^([^:\s]+):\s*(.+)$/.exec(text) ?? []
  return name && value ? { [name]: value } : fail(`--header must be "NAME: VALUE", not "${text}".`)
}

function readLifetime(text: string): number {
  return /^\d{1,9}$/.test(text) ? Number(text) : fail(`--lifetime must be a number of seconds, not "${text}".`)
}

/** Creates credentials for the scheme, using those given. */
function readAuth(scheme: AuthScheme['scheme'], options: ReturnType<typeof readArguments>) {
  const { header, client, lifetime, ...named } = options
  const generated: AuthScheme = newCredentials(scheme)
  if (generated.scheme === 'headers')
    return header === undefined ? generated : { ...generated, headers: readHeader(header) }
  if (generated.scheme === 'oauth') {
    const lifetimeSeconds = lifetime === undefined ? (generated.lifetimeSeconds ?? 0) : readLifetime(lifetime)
    return {
      ...generated,
      clientId: client ?? generated.clientId,
      secret: named.secret ?? generated.secret ?? '',
      lifetimeSeconds
    }
  }
  // Options are named like the credentials' members; those the scheme doesn't have are ignored.
  const own = Object.entries(generated).map(([name, value]) => [
    name,
    name === 'scheme' ? value : (named[name as keyof typeof named] ?? value)
  ])
  return Object.fromEntries(own) as AuthScheme
}

function readConditions({
  dialect,
  refusal,
  clock
}: {
  dialect?: string
  refusal?: string
  clock?: string
}): Conditions {
  const dialects = dialect === undefined ? [] : readDialects(dialect)
  if (!dialects) return fail(`--dialect takes ${DIALECTS.join(', ')}, with commas between them, not "${dialect}".`)
  const known = REFUSALS.find((one) => one === refusal)
  if (refusal !== undefined && !known) return fail(`--refusal must be one of ${REFUSALS.join(', ')}, not "${refusal}".`)
  if (clock !== undefined && !/^[+-]?\d{1,9}$/.test(clock))
    return fail(`--clock must be a number of seconds, not "${clock}".`)
  return { dialects, refusal: known, clockAhead: Number(clock ?? 0) }
}

function readLeft(text: string): number {
  return /^\d{1,9}$/.test(text) ? Number(text) : fail(`--left must be a number of documents, not "${text}".`)
}

const values = readArguments()
if (values.help) {
  console.log(USAGE)
  process.exit(0)
}
const port = readPort(values.port)
const auth = readAuth(readScheme(values.auth), values)
const data = readData(values.data)

const printLine = (fact: object) => console.log(JSON.stringify(fact))

const office = await openPracticeOffice({
  port,
  auth,
  tokenIssued: (tokenFor) => printLine({ tokenFor }),
  data,
  conditions: readConditions(values),
  ...(values.left !== undefined && { documentsLeft: readLeft(values.left) }),
  ...(values.state ? { stateFile: values.state } : {}),
  ...(values.base ? { basePath: values.base } : {})
}).catch((error: NodeJS.ErrnoException) => {
  if (error.code === 'EADDRINUSE') return fail(`Port ${port} is taken. Choose another, or --port 0 for any free one.`)
  return fail(`The practice service could not start: ${error.message}`)
})

if (office.setAside) console.error(`The state file could not be read and was put aside as ${office.setAside}.`)
const { scheme, ...credentials } = auth
printLine({ url: office.url, auth: scheme, ...credentials, data })

const { signIn } = office.service
if (signIn) {
  createInterface({ input: process.stdin }).on('line', (typed) => {
    if (typed.trim() !== 'expire') return console.error('Type “expire” to let the access tokens expire.')
    signIn.expire()
    printLine({ expired: true })
  })
}

let closing = false
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, async () => {
    if (closing) return
    closing = true
    await office.close()
    process.exit(0)
  })
}
