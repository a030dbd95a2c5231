// The workflows call only what exists: each command is a script of package.json or of the scripts folder, and all parts
// of npm test run.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
const playwright = join(root, 'node_modules/playwright/cli.js')
const folder = join(root, '.github/workflows')
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> }
const names = readdirSync(folder)
const text = (name: string) => readFileSync(join(folder, name), 'utf8')
const called = (name: string) => [...text(name).matchAll(/npm run (?:-s )?([\w:-]+)/g)].map(([, script = '']) => script)

test.each(names)('%s calls only existing scripts', (name) => {
  expect(called(name).filter((script) => !(script in scripts))).toEqual([])
  const files = [...text(name).matchAll(/node (scripts\/[\w.-]+)/g)].map(([, file = '']) => file)
  expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([])
  const own = [...text(name).matchAll(/uses: \.\/(\S+)/g)].map(([, action = '']) => action)
  expect(own.filter((action) => !existsSync(join(root, action, 'action.yml')))).toEqual([])
})

test('every part of npm test runs for each change', () => {
  const partsOf = (script: string) =>
    [...(scripts[script] ?? '').matchAll(/npm(?: run|):? ?([\w:-]+)/g)].map(([, part = '']) => part)
  const inPieces = ['own-node', 'test:ready', 'test:code']
  const parts = [...partsOf('test'), ...partsOf('test:ready')].filter((part) => part in scripts)
  const required = parts.filter((part) => !inPieces.includes(part))
  expect(required).toEqual(expect.arrayContaining(['types', 'test:e2e']))
  expect(required.filter((part) => !called('ci.yml').includes(part))).toEqual([])
  // What Vitest runs in one go locally is split into several jobs in CI.
  expect(parts).toContain('test:code')
  const projects = [...readFileSync(join(root, 'vitest.config.ts'), 'utf8').matchAll(/name: '([\w-]+)',\s*include/g)]
  const ran = called('ci.yml').flatMap((script) => [...(scripts[script] ?? '').matchAll(/--project ([\w-]+)/g)])
  expect(ran.map(([, project]) => project).sort()).toEqual(projects.map(([, project]) => project).sort())
})

/**
 * Specs that the short round leaves out completely (decision 73), each with the spec or test that takes its paths there,
 * if not in the built application.
 */
const inOthers: Record<string, string> = {
  'actions.spec.ts': 'test/unit/actions/actions.test.ts',
  'agent.spec.ts': 'test/unit/office/agent.test.ts',
  'all-accounts.spec.ts': 'test/renderer/all-accounts.test.ts',
  'appointments.spec.ts': 'test/renderer/counter-appointments.test.ts',
  'at-rest.spec.ts': 'backup.spec.ts',
  'bad-day.spec.ts': 'interruptions.spec.ts',
  'counter-camera.spec.ts': 'signing-view.spec.ts',
  'counter-hands.spec.ts': 'attacks.spec.ts',
  'counter-interrupted.spec.ts': 'chaos.spec.ts',
  'counter-queue.spec.ts': 'main-job.spec.ts',
  'enrolment.spec.ts': 'test/unit/accounts/enrolment.test.ts',
  'everybody.spec.ts': 'composing.spec.ts',
  'everyday.spec.ts': 'folders.spec.ts',
  'from-outside.spec.ts': 'test/unit/drafts/from-outside.test.ts',
  'identity-reading.spec.ts': 'identity-pdf.spec.ts',
  'once-more.spec.ts': 'composing.spec.ts',
  'receipt.spec.ts': 'test/unit/receipts/receipts.test.ts',
  'signing.spec.ts': 'counter-privacy.spec.ts',
  'staff.spec.ts': 'test/office/release.test.ts',
  'verifications.spec.ts': 'test/unit/verifications/rules.test.ts'
}

test('npm test plays something from every spec, or a test of the same, and the workflow plays all of them', {
  timeout: 600_000
}, () => {
  expect(text('ci.yml')).not.toContain('grep')
  for (const [config, folder] of [
    ['playwright.config.ts', 'test/e2e'],
    ['test/pictures/playwright.config.ts', 'test/pictures']
  ] as const) {
    const list = [playwright, 'test', '-c', config, '--list', '--grep-invert', '@full']
    const { stdout } = spawnSync(process.execPath, list, { cwd: root, encoding: 'utf8' })
    const played = new Set([...stdout.matchAll(/([\w.-]+\.spec\.ts):/g)].map(([, file]) => file))
    const all = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.spec.ts'))
      .map((file) => basename(file))
    const expected = all.filter((file) => !(file in inOthers))
    expect([...played].sort()).toEqual(expected.sort())
    for (const [file, other] of Object.entries(inOthers)) {
      if (!all.includes(file)) continue
      if (other.endsWith('.spec.ts')) expect(played, file).toContain(other)
      else expect(existsSync(join(root, other)), other).toBe(true)
    }
  }
})

test('a release is tested, signed, listed, and added to the update feed', () => {
  const release = text('release.yml')
  const steps = ['test:unit', 'test:packing', 'release', 'test:packed']
  expect(called('release.yml').filter((script) => steps.includes(script))).toEqual(steps)
  // The names that electron-builder is configured to give packages, and the SBOM.
  const builder = readFileSync(join(root, 'electron-builder.yml'), 'utf8')
  for (const [, prefix] of builder.matchAll(/artifactName: (countersign-)/g))
    expect(release).toContain(`dist/${prefix}*`)
  expect(release).toContain('dist/latest*.yml')
  expect(release).toContain('out/sbom/sbom.cdx.json')
  expect(readFileSync(join(root, 'scripts/sbom.mjs'), 'utf8')).toContain("'out/sbom'")
  expect(release).toMatch(/node scripts\/sign-updates\.ts "\$RUNNER_TEMP\/update-key\.pem" dist/)
})

test('no workflow has more permissions than declared, or runs text from outsiders as commands', () => {
  for (const name of names) {
    expect(text(name)).toMatch(/^permissions:\n {2}contents: read$/m)
    expect(text(name)).not.toMatch(/pull_request_target|run:.*\$\{\{ *github\.(event|head_ref)/)
  }
})
