/** An office's agent: the application without a window, on a computer where nobody signs in and no keychain is open. */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type Account, DEFAULT_FOLDERS } from '../../src/main/core/accounts/account.ts'
import { enrolmentFile } from '../../src/main/core/accounts/enrolment.ts'
import { DAY } from '../../src/main/core/lib/calendar.ts'
import { USUAL_DATA_TYPE_SPELLING } from '../../src/shared/contract/views.ts'
import { ENROLMENT_CODE_BYTES, recoveryKeyText } from '../../src/shared/recovery-key.ts'
import { formsSentTo } from './bad-line.ts'
import { MERE } from './clerk.ts'
import { expect, test } from './office.ts'
import { openSharedOffice } from './shared-office.ts'

const ROOT = resolve(import.meta.dirname, '../..')

test(
  'an agent gets an account and joins on the administrator’s orders, and sends for workstations that are closed',
  { tag: '@full' },
  async ({ open }, testInfo) => {
    const office = await openSharedOffice('empty')
    const [userData, credentials] = [testInfo.outputPath('agent'), testInfo.outputPath('credentials')]
    for (const folder of [userData, credentials]) await mkdir(folder, { recursive: true })
    await writeFile(join(credentials, 'countersign-keychain'), randomBytes(32).toString('base64'))

    /** Starts the application as the system's service manager would: without a bus that could offer a keychain. */
    function agent(args: readonly string[], code = ''): { child: ChildProcess; ended: Promise<string> } {
      const main = ['--import', join(ROOT, 'test/host/register.ts'), join(ROOT, 'out/main/index.js')]
      const child = spawn(process.execPath, [...main, `--user-data-dir=${userData}`, ...args], {
        env: {
          ...process.env,
          CREDENTIALS_DIRECTORY: credentials,
          COUNTERSIGN_CODE: code,
          DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere'
        }
      })
      let output = ''
      for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk))
      const ended = new Promise<string>((done) => child.on('close', (exit) => done(`${output}(${exit})`)))
      return { child, ended }
    }

    let working: ReturnType<typeof agent> | undefined
    try {
      const front = await open()
      await office.seat(front, 'Front desk')
      const file = testInfo.outputPath('harbour.countersign-enrolment')
      const code = await enrolmentOf(office.service.url, file)

      expect(await agent(['--agent', '--agent-leave']).ended).toMatch(/Use: countersign --agent[\s\S]*\(2\)$/)
      expect(await agent([`--agent-enrol=${file}`], 'AAAA-AAAA-AAAA-AAAA').ended).toMatch(/\(1\)$/)
      expect(await agent([`--agent-enrol=${file}`], code).ended).toContain(
        'The account “Harbour Law” is connected.\n(0)'
      )
      const { host, port, database } = office.place
      const joining = [`--agent-join=${host}:${port}`, `--agent-database=${database}`]
      expect(await agent(joining, await office.invite('Office server')).ended).toMatch(
        /Joined the office at \S+ as “Office server”\.\n\(0\)/
      )
      working = agent(['--agent'])
      await front.goTo(/^Outbox/)
      await front.button('Pause for the whole office').click()
      await front.composeForm({ name: 'Deed of gift', people: [MERE] })
      await front.send()
      await front.goTo(/^Outbox/)
      await expect(front.window.getByText(/^Paused for the whole office since/)).toBeVisible()
      await expect.poll(() => office.waiting()).toBe(1)
      await front.app.kill()
      expect(formsSentTo(office.service)).toEqual([])
      await office.resume()
      await expect.poll(() => formsSentTo(office.service)).toEqual(['Deed of gift'])

      working.child.kill('SIGTERM')
      expect(await working.ended).toMatch(/\(0\)$/)
      // The credentials that it signs in with are nowhere in plain text.
      for (const name of await readdir(userData, { recursive: true }))
        expect((await readFile(join(userData, name), 'latin1').catch(() => '')).includes('made-up-token-1'), name).toBe(
          false
        )
    } finally {
      working?.child.kill('SIGKILL')
      await working?.ended
      await office.close()
    }
  }
)

/**
 * Writes the enrolment file of the account that `seat` connects, as *Prepare for other computers…* does. Returns its
 * code.
 */
async function enrolmentOf(baseUrl: string, path: string): Promise<string> {
  const code = recoveryKeyText(randomBytes(ENROLMENT_CODE_BYTES))
  const account = {
    name: 'Harbour Law',
    baseUrl,
    colour: '#336699',
    jsonByQuery: false,
    dataTypeSpelling: USUAL_DATA_TYPE_SPELLING,
    folders: [...DEFAULT_FOLDERS]
  }
  const made = { code, madeAt: Date.now(), validUntil: Date.now() + DAY, madeBy: 'Countersign' }
  const credentials = { scheme: 'bearer', token: 'made-up-token-1' } as const
  await writeFile(path, enrolmentFile(account as unknown as Account, credentials, made))
  return code
}
