/**
 * Does the product's main job unattended, through the real screens, on the practice office: composes and sends a form
 * and a template, has both signed at the counter, saves identity data, verifies signatures. Writes a screenshot of
 * every step, the PDF and summary.json. Run with `npm run demo -- [--out DIR]`; exits with 1 if a step fails.
 */
import { spawnSync } from 'node:child_process'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type Clerk, clerkAt, MERE, type Person, sign, WIREMU } from '../test/e2e/clerk.ts'
import { launch } from '../test/e2e/launch.ts'
import { requireSystemPackages } from './host.ts'

const { values } = parseArgs({ options: { out: { type: 'string', default: 'demo' } } })
const out = resolve(values.out)

/** Environment variable that says that the keychain is ready. */
const READY = 'COUNTERSIGN_DEMO_KEYRING'

if (process.env[READY]) await demo()
else {
  requireSystemPackages('chromium', 'keyring')
  const command = [join(import.meta.dirname, 'with-keyring.ts'), process.execPath, import.meta.filename, '--out', out]
  const { status } = spawnSync(process.execPath, command, { stdio: 'inherit', env: { ...process.env, [READY]: '1' } })
  process.exit(status ?? 1)
}

interface Step {
  name: string
  ok: boolean
  seconds: number
  picture: string
  error?: string
}

async function demo(): Promise<void> {
  await mkdir(out, { recursive: true })
  const startedAt = performance.now()
  const summary = { sent: 0, signed: 0, pdfs: 0, validated: 0, seconds: 0, steps: [] as Step[] }
  const app = await launch()
  const clerk = clerkAt(app)
  app.window.setDefaultTimeout(20_000)
  try {
    await runSteps(clerk, summary)
  } catch {
    process.exitCode = 1
  } finally {
    await app.close()
    summary.seconds = seconds(startedAt)
    await writeFile(join(out, 'summary.json'), `${JSON.stringify(summary, null, 2)}\n`)
    const { sent, signed, pdfs, validated } = summary
    console.log(`${sent} sent, ${signed} signed, ${pdfs} PDF, ${validated} validated in ${summary.seconds} s: ${out}`)
  }
}

async function runSteps(
  clerk: Clerk,
  summary: { sent: number; signed: number; pdfs: number; validated: number; steps: Step[] }
): Promise<void> {
  const { app, window } = clerk
  const person: Person = { ...MERE, faceToFace: true, identity: { question: 'Date of birth', answer: '1984-03-09' } }

  async function step(name: string, action: () => Promise<void>): Promise<void> {
    const startedAt = performance.now()
    const number = String(summary.steps.length + 1).padStart(2, '0')
    const picture = `${number}-${name.toLowerCase().replace(/[^a-z]+/g, '-')}.png`
    let error: string | undefined
    try {
      await action()
    } catch (thrown) {
      error = thrown instanceof Error ? (thrown.message.split('\n')[0] ?? '') : String(thrown)
    }
    await app.screenshot(join(out, picture))
    summary.steps.push({ name, ok: error === undefined, seconds: seconds(startedAt), picture, ...(error && { error }) })
    console.log(`${error === undefined ? '✓' : '✗'} ${name}${error ? `: ${error}` : ''}`)
    if (error !== undefined) throw new Error(error)
  }
  const expectSent = async () => {
    await window.getByText(/^Sent to .+\.$/).waitFor()
    summary.sent++
  }
  const expectSigned = async () => {
    await clerk.giveBack()
    await window.getByRole('heading', { name: /signed/i }).waitFor()
    summary.signed++
  }
  let page = window

  await step('First run', () => clerk.arrive())
  await step('Choose the practice office', () => clerk.choosePracticeOffice())
  await step('Compose a form', () =>
    clerk.composeForm({ name: 'Letter of authority', people: [person], embedded: true })
  )
  await step('Send the form', () => clerk.send().then(expectSent))
  await step('Compose a template', () =>
    clerk.composeTemplate({ name: 'Privacy consent', people: [MERE, WIREMU], embedded: true, inOrder: true })
  )
  await step('Send the template', () => clerk.send().then(expectSent))
  await step('See both in the folders', async () => {
    await clerk.openFolder('InBox')
    await window.getByRole('row', { name: 'Letter of authority' }).waitFor()
    await window.getByRole('row', { name: 'Privacy consent' }).first().waitFor()
  })
  await step('Hand the screen to the signer', async () => {
    await clerk.beginTurn(person, 'Letter of authority')
  })
  await step('The signing page', async () => {
    page = await clerk.takeScreen(person)
  })
  await step('The form is signed', async () => {
    await sign(page, person)
    await expectSigned()
  })
  await step('The template is signed by the first', async () => {
    await clerk.button('Back to Counter').click()
    await sign(await clerk.handOver(MERE, 'Privacy consent'), MERE)
    await expectSigned()
  })
  await step('The template is signed by the second', async () => {
    await sign(await clerk.handOverToNext(WIREMU), WIREMU)
    await expectSigned()
    await clerk.button('Back to Counter').click()
  })
  await step('Choose where downloads go', () => clerk.chooseDownloadFolder(out))
  await step('The signed document', async () => {
    await clerk.openFolder('Signed')
    await clerk.openDocument('Letter of authority')
  })
  await step('Save the identity data', async () => {
    await clerk.button('Download report (PDF)').click()
    await clerk.button('Show in folder').waitFor()
    summary.pdfs += (await readdir(out, { recursive: true })).filter((name) => name.endsWith('.pdf')).length > 0 ? 1 : 0
  })
  await step('Verify the signatures', async () => {
    await clerk.button('Verify signatures').click()
    await window.getByRole('status').filter({ hasText: /valid/i }).first().waitFor()
    summary.validated++
  })
}

function seconds(since: number): number {
  return Math.round((performance.now() - since) / 100) / 10
}
