import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { POLICY_FOLDER, policyFiles } from '../../../scripts/policy-files.ts'
import { checkPolicyAt, policyToCheck } from '../../../src/main/core/organisation/check.ts'
import { Policy } from '../../../src/main/core/organisation/schema.ts'
import { temporaryFolder } from '../storage/folders.ts'

test.each(Object.entries(policyFiles()))(
  '%s is up to date: otherwise run node scripts/policy-files.ts',
  (name, text) => {
    expect(readFileSync(join(POLICY_FOLDER, name), 'utf8')).toBe(text)
  }
)

test('the example sets every setting of a policy', () => {
  const example = JSON.parse(readFileSync(join(POLICY_FOLDER, 'example.json'), 'utf8'))
  expect(Object.keys(example).sort()).toEqual(Object.keys(Policy.shape).sort())
  expect(Object.keys(example.counter).sort()).toEqual(Object.keys(Policy.shape.counter.unwrap().shape).sort())
})

test('the published schema describes each setting', () => {
  const { properties } = JSON.parse(policyFiles()['policy.schema.json'] ?? '')
  for (const [name, { description }] of Object.entries<{ description?: string }>(properties)) {
    expect(description, name).toMatch(/\.$/)
  }
})

test('a check reports what a policy sets', async () => {
  expect(await checkPolicyAt(join(POLICY_FOLDER, 'example.json'))).toMatchObject({
    isUsable: true,
    lines: expect.arrayContaining(['The policy sets:', '  practiceOffice: false'])
  })
})

test.each([
  ['{"practiceOffice": 1}', 'Line 1, column 20: “practiceOffice” must be true or false.'],
  ['', 'The file is empty. A policy that sets nothing is {}.']
])('a check reports what is wrong: %s', async (text, problem) => {
  const path = join(temporaryFolder(), 'policy.json')
  writeFileSync(path, text)
  expect(await checkPolicyAt(path)).toEqual({ isUsable: false, lines: [problem] })
})

test.each([
  ['a file that isn’t there', '/nowhere/policy.json', `There’s no file ${resolve('/nowhere/policy.json')}.`],
  ['a folder', '/', 'This isn’t a file.'],
  ['no file', '', 'Use: countersign --check-policy FILE']
])('a check of %s reports it', async (_what, path, problem) => {
  expect(await checkPolicyAt(path)).toEqual({ isUsable: false, lines: [problem] })
})

test.each([
  [['countersign', '--check-policy', 'a.json'], 'a.json'],
  [['countersign', '--check-policy=a.json'], 'a.json'],
  [['countersign', '--check-policy'], ''],
  [['countersign'], undefined]
])('%j asks for a check of %j', (argv, path) => {
  expect(policyToCheck(argv)).toBe(path)
})
