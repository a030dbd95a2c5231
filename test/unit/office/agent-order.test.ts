import { expect, test } from 'vitest'
import { agentOrderOf } from '../../../src/main/core/office/agent-order.ts'

const order = (...argv: string[]) => agentOrderOf(['countersign', ...argv])

test('arguments without an agent option are not an agent’s order', () => {
  expect(order()).toBeUndefined()
  expect(order('--agents', '--user-data-dir=/var/lib/countersign', 'agent', '--status')).toBeUndefined()
})

test.each([
  [['--agent', '--ozone-platform=headless'], { do: 'run' }],
  [['--agent-leave'], { do: 'leave' }],
  [['--agent-enrol=/root/harbour.countersign-enrolment'], { do: 'enrol', file: '/root/harbour.countersign-enrolment' }],
  [
    ['--agent-join=db.harbour.example'],
    { do: 'join', server: { host: 'db.harbour.example', port: 5432, database: 'countersign' } }
  ],
  [
    ['--agent-join=[::1]:6432', '--agent-database=office_2', '--agent-ca=/etc/ssl/own.pem'],
    { do: 'join', server: { host: '::1', port: 6432, database: 'office_2' }, ca: '/etc/ssl/own.pem' }
  ]
])('%j is an order', (argv, expected) => {
  expect(order(...argv)).toEqual(expected)
})

test.each([
  ['two orders', ['--agent', '--agent-leave']],
  ['an unknown order', ['--agent-revoke']],
  ['a value where none is expected', ['--agent=yes']],
  ['a code, which others could read', ['--agent-join=db', '--agent-code=AAAA']],
  ['no server', ['--agent-join']],
  ['a server with spaces', ['--agent-join=a b']],
  ['a port that is none', ['--agent-join=db:123456']],
  ['no database', ['--agent-join=db', '--agent-database=']],
  ['a file that depends on where it was ordered', ['--agent-enrol=harbour.countersign-enrolment']],
  ['an authority without an office', ['--agent', '--agent-ca=/etc/ssl/own.pem']]
])('%s: the usage is explained, and nothing is done', (_what, argv) => {
  expect(order(...argv)).toMatch(/^Use: countersign --agent /)
})
