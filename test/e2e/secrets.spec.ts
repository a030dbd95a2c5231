/**
 * Uses secrets in every way that the screens have, then searches for them: they are in the keychain, in the encrypted
 * database and at the service, and nowhere else.
 */
import { createHash, randomBytes, randomInt } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deflateSync, gzipSync } from 'node:zlib'
import { strToU8, zipSync } from 'fflate'
import keytar from 'keytar'
import type { AuthScheme } from '../../src/practice/authentication.ts'
import { listen } from '../../src/practice/office.ts'
import { seed } from '../../src/practice/seed.ts'
import { createPracticeService } from '../../src/practice/service.ts'
import { systemClock, systemRandom } from '../../src/practice/sources.ts'
import { blankComposition, blankItem } from '../../src/shared/composition/index.ts'
import { passportLines } from '../fixtures/passport-lines.ts'
import { type Clerk, MERE, type Person, sign, WIREMU } from './clerk.ts'
import { expect, test } from './office.ts'
import { type Secrets, searchFolder, searchProcesses, waysToWrite } from './secrets.ts'

/** Findings that are intended. */
const MEANT = [
  // The office keeps and shows the names of files that a person gave to a page (decision 38).
  /^(receipt\.pdf|audit\.(xlsx|json)|(event )?(audit|counter)\.\w+): the name of a given file$/,
  // The files of the folder are offered by name, for as long as the turn lasts.
  /^counter\.(staff|state): the name of a file beside it$/,
  // Staff composes with it, and views it again.
  /^(drafts|sends)\.\w+: the answer to an identity question$/
]
const REFERER = 'https://office.example.com/'

/** The secrets that were planted, and those that services derived from them, by description. */
function planting() {
  const secrets = new Map<string, string | Buffer>()
  /**
   * Plants a random core and returns the text to type or answer with. Only the core is searched for: the characters
   * around it count as known.
   */
  function plant(what: string, around: (core: string) => string = (core) => core): string {
    const core = randomBytes(12).toString('hex')
    secrets.set(what, core)
    return around(core)
  }
  function digits(what: string): string {
    const text = Array.from({ length: 12 }, () => randomInt(10)).join('')
    secrets.set(what, text)
    return text
  }
  const register = <Secret extends string | Buffer>(what: string, secret: Secret): Secret => {
    if (secret.length < 12) throw new Error(`“${what}” is too short to be looked for.`)
    secrets.set(what, secret)
    return secret
  }
  return { secrets, plant, digits, register }
}

/** Opens the service of an office without data, and reports what its sign-in receives and returns. */
async function openService(auth: AuthScheme, onValue: (name: string, value: string) => void = () => {}) {
  const service = createPracticeService({ state: seed('empty', systemClock, systemRandom), auth })
  const tell = (pairs: Iterable<[string, unknown]>) => {
    for (const [name, value] of pairs) if (typeof value === 'string') onValue(name, value)
  }
  const listening = await listen({
    ...service,
    async fetch(request) {
      const isToken = new URL(request.url).pathname.endsWith('/oauth2/token')
      if (isToken) tell(new URLSearchParams(await request.clone().text()))
      const answer = await service.fetch(request)
      if (isToken) tell(Object.entries((await answer.clone().json()) as object))
      return answer
    }
  })
  return { ...listening, service }
}

/** Opens a service that refuses everyone, and repeats everything it was sent in its answer. */
async function openEcho() {
  const server = createServer((request, response) => {
    const shown = JSON.stringify(request.headers)
    response.writeHead(401, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ ErrorCode: 'Unauthorized', Message: `Not let in: ${shown}`, Detail: shown }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => new Promise<unknown>((resolve) => server.close(resolve).closeAllConnections())
  }
}

type Typed = Readonly<Record<string, string>>

/** In the Settings: fills in an account, and presses the button that connects it. */
async function connect({ window, button }: Clerk, method: RegExp, fields: Typed, check: readonly string[] = []) {
  await button('Connect an account').click()
  const dialog = window.getByRole('dialog', { name: 'Connect an account' })
  await dialog.getByRole('radio', { name: method }).check()
  for (const name of check) await dialog.getByText(name, { exact: true }).first().click()
  for (const [label, text] of Object.entries(fields))
    await dialog
      .getByLabel(new RegExp(`^${label}`))
      .and(window.locator(':not([type=radio])'))
      .first()
      .fill(text)
  await dialog.getByRole('button', { name: /^Connect$|^Sign in…$/ }).click()
  return dialog
}

test('forty secrets used on every screen are found only where they are stored', async ({ open }, testInfo) => {
  const { secrets, plant, digits, register } = planting()
  const place = await mkdtemp(join(tmpdir(), 'countersign-secrets-'))
  const userData = join(place, 'user-data')
  const temporary = join(place, 'temporary')
  const recorded = join(testInfo.outputDir, 'recorded')
  const saved = join(testInfo.outputDir, 'saved')
  for (const folder of [userData, temporary, recorded, saved]) await mkdir(folder, { recursive: true })
  const start = {
    userData,
    main: 'test/e2e/recorded-main.mjs',
    // A Chromium of its own, because that is searched too.
    env: { HOST_BORROWS: '0', COUNTERSIGN_RECORDED: recorded, TMPDIR: temporary, TEMP: temporary, TMP: temporary }
  }

  const token = plant('a bearer token', (core) => `tk+${core}/=`)
  const key = { key: plant('an API key'), secret: plant('its secret', (core) => `§"${core} &`), referer: REFERER }
  const gatewayKey = { key: plant('a key beside a token'), secret: plant('the secret of that key'), referer: REFERER }
  const password = plant('a password', (core) => `pä"ss <${core}> &?`)
  const headers = { 'X-Gateway-Key': plant('a header'), 'X-Gateway-Pass': plant('another header') }
  const [client, person] = [plant('a client’s secret'), plant('the secret of a client that a person signs in by')]
  const clientId = 'harbour'
  const hears = (who: string) => {
    const counts = new Map<string, number>()
    return (name: string, value: string) => {
      if (!['code', 'code_verifier', 'access_token', 'refresh_token'].includes(name)) return
      if ([...secrets.values()].includes(value)) return
      const count = (counts.get(name) ?? 0) + 1
      counts.set(name, count)
      register(`${name} ${count} of ${who}`, value)
    }
  }
  const services = {
    bearer: await openService({ scheme: 'bearer-and-key', token, ...gatewayKey }),
    key: await openService({ scheme: 'hmac', ...key }),
    basic: await openService({ scheme: 'basic', user: 'office', password }),
    headers: await openService({ scheme: 'headers', headers }),
    client: await openService({ scheme: 'oauth', clientId, secret: client }, hears('a client')),
    person: await openService({ scheme: 'oauth', clientId, secret: person }, hears('a person'))
  }
  const echo = await openEcho()
  const clerk = await open(start)
  const { app, window, button, goTo } = clerk
  window.setDefaultTimeout(30_000)
  const expectShown = (text: string | RegExp) => expect(window.getByText(text).first()).toBeVisible()

  await test.step('accounts with every sign-in method', async () => {
    await button(/Connect your office/).click()
    await window.getByLabel('Name', { exact: true }).fill('Harbour Law')
    await window.getByLabel('Service address').fill(services.bearer.url)
    await window.getByRole('radio', { name: /^Bearer token/ }).check()
    await window.getByLabel('Token', { exact: true }).fill(token)
    await window.getByText('Send an API key as well').click()
    await window.getByLabel('API key', { exact: true }).fill(gatewayKey.key)
    await window.getByLabel('Secret', { exact: true }).fill(gatewayKey.secret)
    await window.getByLabel('Registered access URL').fill(REFERER)
    await button('Connect').click()
    await window.getByRole('navigation', { name: 'Screens' }).waitFor()
    await goTo('Settings')

    const at = (name: string, service: { url: string }) => ({ Name: name, 'Service address': service.url })
    /** Waits for the account's row, too, which moves the button that connects the next one. */
    const added = async (name: string, dialog: Awaited<ReturnType<typeof connect>>) => {
      await dialog.waitFor({ state: 'hidden' })
      await button(`Check connection of ${name}`).waitFor()
    }
    const keyed = { 'API key': key.key, Secret: key.secret, 'Registered access URL': REFERER }
    await added('Keyed', await connect(clerk, /^API key/, { ...at('Keyed', services.key), ...keyed }))
    const pass = { 'User name': 'office', Password: password }
    await added('Basic', await connect(clerk, /^Password/, { ...at('Basic', services.basic), ...pass }))
    const [[one, first], [two, second]] = Object.entries(headers) as [[string, string], [string, string]]
    const rows = { 'Header 1': one, 'Value 1': first, 'Header 2': two, 'Value 2': second }
    await added(
      'Gateway',
      await connect(clerk, /^Headers/, { ...at('Gateway', services.headers), ...rows }, ['Add a header'])
    )
    const ofClient = { 'Client ID': clientId, 'Client secret': client, 'Sign-in service': services.client.url }
    await added(
      'Client',
      await connect(clerk, /^OAuth 2/, { ...at('Client', services.client), ...ofClient }, ['Countersign'])
    )

    const ofPerson = { 'Client ID': clientId, 'Client secret': person, 'Sign-in service': services.person.url }
    const dialog = await connect(clerk, /^OAuth 2/, { ...at('Person', services.person), ...ofPerson })
    await expect.poll(app.openedExternally).toHaveLength(1)
    const [address = ''] = await app.openedExternally()
    register('the state of a sign-in', new URL(address).searchParams.get('state') ?? '')
    const body = new URLSearchParams({ answer: 'allow' })
    const allowed = await fetch(address, { method: 'POST', redirect: 'manual', body })
    await fetch(allowed.headers.get('location') ?? '')
    await added('Person', dialog)
    // Its token has expired: a new one is fetched with the refresh token, which changes too.
    services.person.service.signIn?.expire()
    await button('Check connection of Person').click()
    await expect.poll(() => secrets.has('refresh_token 2 of a person')).toBe(true)

    const refused = { 'Service address': echo.url, Name: 'Refused' }
    const echoed = await connect(clerk, /^Bearer token/, { ...refused, Token: plant('a token that is repeated') })
    await expect(echoed.getByText('We couldn’t connect.').first()).toBeVisible()
    await echoed.getByRole('radio', { name: /^Password/ }).check()
    await echoed.getByLabel('User name', { exact: true }).fill('office')
    await echoed.getByLabel('Password', { exact: true }).fill(plant('a password that is repeated'))
    await echoed.getByRole('button', { name: 'Try again' }).click()
    await expect(echoed.getByText('We couldn’t connect.').first()).toBeVisible()
    await echoed.getByRole('button', { name: 'Cancel' }).click()
  })

  const [before, pin] = [digits('a PIN that was changed'), digits('the PIN of staff')]
  await test.step('PINs and a badge', async () => {
    await window.getByLabel('Staff member on this computer').fill('Grace Okafor')
    await window.getByLabel('New PIN').fill(before)
    await window.getByLabel('Confirm PIN').fill(before)
    await button('Save PIN').click()
    await button('Change PIN…').click()
    await window.getByLabel('Current PIN').fill(before)
    await window.getByLabel('New PIN').fill(pin)
    await window.getByLabel('Confirm PIN').fill(pin)
    await button('Save PIN').click()
    await expectShown('PIN changed.')
    await button('Add a staff member…').click()
    const dialog = window.getByRole('dialog')
    await dialog.getByLabel('Name', { exact: true }).fill('Ana Reweti')
    await dialog.getByLabel('PIN', { exact: true }).fill(digits('the PIN of another'))
    await dialog.getByLabel(/^Badge/).focus()
    for (const letter of [...plant('a badge', (core) => `CARD-${core}`), 'Enter']) await window.keyboard.press(letter)
    await dialog.getByRole('button', { name: 'Add' }).click()
    await expect(window.getByRole('list', { name: 'Staff' })).toContainText('Ana Reweti')
    await window.getByLabel('Let signers give files to signing pages').check()
  })

  const answer = plant('the answer to an identity question')
  const theirs: Person = { ...MERE, identity: { question: 'First school?', answer } }
  await test.step('a signature at the counter', async () => {
    await clerk.composeForm({ name: 'Medical records', people: [MERE, WIREMU], embedded: true })
    await window.getByLabel('No mobile phone').first().click()
    await window.getByLabel('Question', { exact: true }).fill('First school?')
    await window.getByLabel('Answer type').selectOption('Text')
    await window.getByLabel('Correct answer').fill(answer)
    await clerk.send()
    await clerk.openSheet(theirs, 'Medical records')
    const sheet = window.getByRole('dialog', { name: 'Confirm who is signing' })
    await sheet.getByText('Compare a passport or ID card').first().click()
    const lines = sheet.getByLabel('Machine-readable lines').first()
    const number = String(randomInt(100_000_000, 999_999_999))
    const passport = passportLines('TAMATI<<MERE<HINEMOA', number)
    for (const [at, line] of passport.split('\n').entries()) register(`line ${at + 1} of a passport`, line)
    await lines.fill(passport)
    await sheet.getByText(/^The name matches/).waitFor()
    // Main gets them at the handover, and compares them.
    await sheet.getByRole('button', { name: 'Hand over screen' }).click()
    await clerk.person.button('Staff').click()
    await clerk.person.unlock(pin)
    await clerk.person.button('End session').click()
    await button('Back to Counter').click()
    await clerk.openSheet(theirs, 'Medical records')
    await sheet.getByText('Compare a passport or ID card').first().click()
    const card = `I<UTO${number}7<<<<<<<<<<<<<<<`
    await lines.fill(
      [
        register('the first line of a card', card.padEnd(30, '<')),
        register('its second line too', '7408122F1204159UTO<<<<<<<<<<<6'),
        register('its third line', 'TAMATI<<MERE<HINEMOA'.padEnd(30, '<'))
      ].join('\n')
    )
    await sheet.getByRole('button', { name: 'No machine-readable lines? Enter the printed details' }).first().click()
    await sheet
      .getByLabel('Name on the document')
      .fill(`${theirs.first} ${theirs.last} ${plant('a name on a document')}`)
    await sheet.getByLabel('Document number').fill(plant('the number of a document', (core) => `${core}1`))
    await sheet.getByRole('button', { name: 'Compare', exact: true }).click()
    await sheet.getByText('The name matches.').waitFor()
    await sheet.getByRole('button', { name: 'Hand over screen' }).click()
    const page = await clerk.takeScreen(theirs)
    register('a signing link', new URL(page.url()).pathname.split('/sign/')[1]?.split('/')[0] ?? '')
    for (const { signers } of Object.values(services.person.service.state.documents))
      for (const { key, FirstName } of signers) register(`the signing link of ${FirstName}`, key)
    await page.getByTestId('answer-0').fill(plant('a wrong answer'))
    await page.getByTestId('identity-continue').click()
    await page.getByTestId('answer-0').fill(answer)
    await page.getByTestId('identity-continue').click()
    await page.getByTestId('sign').waitFor()
    const left = plant('a cookie of the page')
    await page.evaluate((text) => {
      // biome-ignore lint/suspicious/noDocumentCookie: what a signing page would do
      document.cookie = `left=${text}; max-age=86400`
      console.log(text)
    }, left)
    await page.evaluate((text) => localStorage.setItem('left', text), plant('what the page stores'))

    const folder = join(place, plant('a folder that staff opened'))
    await mkdir(folder)
    await writeFile(join(folder, `${plant('the name of a given file')}.pdf`), plant('what is in a given file'))
    await writeFile(join(folder, `${plant('the name of a file beside it')}.pdf`), plant('what is in a file beside it'))
    await page.getByTestId('file').click()
    await clerk.person.button('Staff').click()
    await clerk.person.unlock(pin)
    await app.dialog.answerOpen([folder])
    await clerk.person.button('Open a folder…').click()
    await window.getByRole('radio', { name: String(secrets.get('the name of a given file')) }).check()
    await clerk.person.button('Give this file').click()
    await expect.poll(async () => (await app.views()).length).toBe(1)
    await rm(folder, { recursive: true })
    await sign(page, theirs)
    await clerk.person.heading('Thank you').waitFor()
    await clerk.person.button('Staff').click()
    await window.getByLabel('Staff PIN or badge').fill(digits('a wrong PIN'))
    await clerk.person.button('Unlock').click()
    await expectShown('Wrong PIN.')
    await window.getByLabel('Staff PIN or badge').fill(pin)
    await clerk.person.button('Unlock').click()
    await window.getByRole('heading', { name: 'Mere Tamati has signed' }).waitFor()
    await app.dialog.answerSave(join(saved, 'receipt.pdf'))
    await button('Receipt').click()
    await window.getByRole('menuitem', { name: 'Save for our file…' }).click()
    await expectShown(/^Saved as “receipt\.pdf”/)
    await button('Back to Counter').click()
  })

  await test.step('a backup, and checking it', async () => {
    await goTo('Settings')
    await button('Back up…').click()
    const dialog = window.getByRole('dialog', { name: 'Back up this computer' })
    const passphrase = plant('a passphrase', (core) => `four words ${core}`)
    await dialog.getByLabel('Passphrase', { exact: true }).fill(passphrase)
    await dialog.getByLabel('Repeat passphrase').fill(passphrase)
    await dialog.getByText('Include keys and passwords of accounts').click()
    await app.dialog.answerSave(join(saved, 'office.countersign-backup'))
    await dialog.getByRole('button', { name: 'Save backup…' }).click()
    await expectShown('Backup saved as office.countersign-backup.')
    await app.dialog.answerOpen([join(saved, 'office.countersign-backup')])
    await button('Restore a backup…').click()
    const restoring = window.getByRole('dialog', { name: 'Restore a backup' })
    for (const [typed, message] of [
      [plant('a wrong passphrase', (core) => `five words ${core}`), /^This isn’t the passphrase for this backup/],
      [passphrase, /complete and undamaged/]
    ] as const) {
      await restoring.getByLabel('Passphrase').fill(typed)
      await restoring.getByRole('button', { name: 'Check backup' }).click()
      await expect(restoring.getByText(message)).toBeVisible()
    }
    await restoring.getByRole('button', { name: 'Cancel' }).click()
  })

  await test.step('files for other computers', async () => {
    await app.dialog.answerSave(join(saved, 'office.countersign-settings'))
    await button('Export settings…').click()
    await expectShown(/^Settings saved as/)
    await button('More for Harbour Law').click()
    await window.getByRole('menuitem', { name: /^Prepare for other computers/ }).click()
    register('the code of an enrolment file', (await window.locator('.code span').allTextContents()).join('-'))
    await window.getByRole('checkbox', { name: /I’ve noted the code/ }).check()
    await app.dialog.answerSave(join(saved, 'office.countersign-enrolment'))
    await button('Save file…').click()
    await expectShown(/It can be used until/)
    expect((await readFile(join(saved, 'office.countersign-enrolment'))).toString('latin1')).toMatch(/^CSGNENRL/)
    await window.keyboard.press('Escape')
    await app.dialog.answerSave(join(saved, 'drafts.countersign'))
    const exported = await window.evaluate(async (composition) => {
      const { drafts } = globalThis.window.countersign
      const draft = await drafts.save({ composition })
      return draft.ok && drafts.export({ ids: [draft.value.id] })
    }, leaseOf('Quay Street'))
    expect(exported).toMatchObject({ ok: true, value: { label: 'drafts.countersign' } })
    const names = new Map(['Harbour Law', 'Quay Street'].map((name) => [name, name]))
    expect((await searchFolder(saved, names)).found).toEqual(
      expect.arrayContaining(['office.countersign-settings: Harbour Law', 'drafts.countersign: Quay Street'])
    )
  })

  await test.step('files saved for others', async () => {
    await button('Save a report…').click()
    await app.dialog.answerSave(join(saved, 'report.zip'))
    await window.getByRole('dialog', { name: 'Report for support' }).getByRole('button', { name: 'Save…' }).click()
    await expectShown('Saved as “report.zip”.')
    await button('Copy diagnostics').click()
    await expectShown('Diagnostics copied.')
    await writeFile(join(saved, 'clipboard.txt'), await app.clipboardText())
    await button('Request log').click()
    await app.dialog.answerSave(join(saved, 'requests.csv'))
    await button('Export CSV…').click()
    await expectShown('Saved as “requests.csv”.')
    await goTo(/^Documents/)
    await app.dialog.answerSave(join(saved, 'documents.csv'))
    await button('Export list…').click()
    await expectShown('Exported as “documents.csv”.')
    await goTo(/^Counter/)
    await button('Audit trail').click()
    for (const [item, file] of [
      ['Excel workbook', 'audit.xlsx'],
      ['JSON with hash chain', 'audit.json']
    ] as const) {
      await app.dialog.answerSave(join(saved, file))
      await button('Export').click()
      await window.getByRole('menuitem', { name: item }).click()
      await expectShown(`Saved as “${file}”.`)
    }
  })

  const profile = createHash('sha256').update(userData).digest('hex').slice(0, 16)
  for (const [name, encoding] of [
    [`database-key:${profile}`, 'hex'],
    [`audit-key:${profile}`, 'base64']
  ] as const) {
    const stored = (await keytar.getPassword('Countersign', name)) ?? ''
    register(`${name}, as it is kept`, stored)
    register(`${name}, as it is used`, Buffer.from(stored, encoding))
  }
  expect([...secrets.keys()].length).toBeGreaterThanOrEqual(40)

  await test.step('no secret is anywhere else while Countersign runs', async () => {
    const pid = await app.evaluate(() => process.pid)
    if (process.platform === 'linux') {
      const processes = await searchProcesses(pid, secrets)
      expect(processes.processes).toBeGreaterThan(3)
      expect.soft(processes.found).toEqual([])
    }
    expect.soft(await found(place, secrets)).toEqual([])
    expect.soft(await found(saved, secrets)).toEqual([])
    await writeFile(join(saved, 'clipboard.txt'), await app.clipboardText())
    await writeFile(join(saved, 'written.txt'), app.logs())
    expect.soft(await found(saved, secrets)).toEqual([])
  })

  await test.step('no answer or event contains one', async () => {
    const names = new Map([['a name', 'Harbour Law']])
    expect((await searchFolder(recorded, names)).found).toContain('accounts.list: a name')
    expect.soft(await found(recorded, secrets)).toEqual([])
  })

  await test.step('nor after it has quit or was killed', async () => {
    await app.quit()
    expect.soft(await found(place, secrets)).toEqual([])
    const restarted = await open(start)
    await restarted.app.kill()
    await writeFile(join(saved, 'written.txt'), restarted.app.logs())
    for (const folder of [place, saved, recorded]) expect.soft(await found(folder, secrets)).toEqual([])
  })

  for (const service of [...Object.values(services), echo]) await service.close()
  await rm(place, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
})

function leaseOf(street: string) {
  return { ...blankComposition('form-direct', 'form'), items: [{ ...blankItem('form'), Name: `Lease of ${street}` }] }
}

/** Returns where each secret was found, other than on purpose. */
async function found(folder: string, secrets: Secrets): Promise<string[]> {
  const search = await searchFolder(folder, secrets)
  expect(search.bytes).toBeGreaterThan(1000)
  return search.found.filter((one) => !MEANT.some((meant) => meant.test(one)))
}

test('a planted secret is found in any encoding', { tag: '@full' }, async ({ clerk }, testInfo) => {
  const { secrets, plant } = planting()
  const text = plant('one')
  const folder = join(testInfo.outputDir, 'planted')
  await mkdir(folder, { recursive: true })
  const around = (way: Buffer) => Buffer.concat([Buffer.alloc(2000, 'a'), way, Buffer.alloc(2000, 'z')])
  const ways = waysToWrite(text)
  for (const [index, way] of ways.entries()) await writeFile(join(folder, `way-${index}`), around(way))
  for (const before of [0, 1, 2]) {
    const bytes = Buffer.from(`${'x'.repeat(before)}${text}, and more`)
    await writeFile(join(folder, `base64-${before}`), bytes.toString('base64'))
  }
  await writeFile(join(folder, 'records.gz'), gzipSync(around(Buffer.from(text))))
  await writeFile(join(folder, 'report.zip'), zipSync({ 'log.txt': strToU8(around(Buffer.from(text)).toString()) }))
  const stream = deflateSync(around(Buffer.from(text)))
  const pdf = [Buffer.from('%PDF-1.7\n1 0 obj <<>> stream\n'), stream, Buffer.from('\nendstream\n')]
  await writeFile(join(folder, 'page.pdf'), Buffer.concat(pdf))
  await writeFile(join(folder, `${text}.txt`), '')
  const names = ['records.gz', 'report.zip', 'page.pdf', `${text}.txt`, 'base64-0', 'base64-1', 'base64-2']
  const all = [...ways.map((_way, index) => `way-${index}`), ...names]
  expect((await found(folder, secrets)).sort()).toEqual(all.map((name) => `${name}: one`).sort())

  const pid = await clerk.app.evaluate((_electron, text) => {
    const { spawn } = process.getBuiltinModule('node:child_process')
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)', text], {
      env: { LEFT: text },
      stdio: 'ignore'
    })
    process.once('exit', () => child.kill())
    return process.pid
  }, text)
  if (process.platform === 'linux') {
    const shown = async () => (await searchProcesses(pid, secrets)).found.map((one) => one.split(' ')[0]).sort()
    await expect.poll(shown).toEqual(['cmdline', 'environ'])
  }
})
