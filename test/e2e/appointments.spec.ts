import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from './office.ts'
import { configureCounter } from './sending.ts'

/** Returns the time in so many minutes, as a calendar writes it in UTC. */
const stamp = (minutes: number) =>
  `${new Date(Date.now() + minutes * 60_000).toISOString().replace(/[-:]/g, '').slice(0, 13)}00Z`

test(
  'an imported appointment arrives and is called by number on the second display, and a no-show is marked',
  { tag: '@full' },
  async ({ clerk }, testInfo) => {
    const { app, window } = clerk
    await app.addDisplay({ width: 1280, height: 800 })
    await configureCounter(clerk, {
      useOtherDisplay: true,
      idleText: 'Nau mai, welcome',
      waitingRoom: { counterName: 'Counter 2', noShowAfter: 5, callSound: false, pictures: [] }
    })
    const display = await app.waitForWindow(/counter\.html/)
    const file = join(testInfo.outputPath(), 'today.ics')
    const event = (uid: string, name: string, minutes: number) =>
      [
        'BEGIN:VEVENT',
        `UID:${uid}`,
        `SUMMARY:${name}`,
        `DTSTART:${stamp(minutes)}`,
        'DURATION:PT30M',
        'END:VEVENT'
      ].join('\r\n')
    const calendar = ['BEGIN:VCALENDAR', event('a', 'Mere Tamati', 0), event('b', 'Wiremu Ngata', 0), 'END:VCALENDAR']
    await writeFile(file, `${calendar.join('\r\n')}\r\n`)

    await clerk.goTo(/^Counter/)
    await app.dialog.answerOpen([file])
    await window.getByRole('button', { name: 'Appointments' }).click()
    await window.getByRole('menuitem', { name: 'Import from a file…' }).click()
    await expect(window.getByRole('dialog')).toContainText('2 new')
    await window.getByRole('button', { name: 'Add 2 appointments' }).click()

    await window.getByRole('button', { name: /^Arrived: Mere Tamati/ }).click()
    await window.getByRole('button', { name: /^Call: Mere Tamati/ }).click()
    await expect(display.getByRole('heading', { name: 'Number 1 Please come to Counter 2' })).toBeVisible()
    await expect(display.getByText('Mere')).toHaveCount(0)

    await window.getByRole('button', { name: /^More for Wiremu Ngata/ }).click()
    await window.getByRole('menuitem', { name: 'Didn’t come' }).click()
    await expect(window.getByRole('button', { name: /^Arrived: Wiremu/ })).toHaveCount(0)
    await window.getByText('Done and missed today').click()
    await window.getByRole('button', { name: /^Undo: Wiremu Ngata/ }).click()
    await expect(window.getByRole('button', { name: /^Arrived: Wiremu/ })).toBeVisible()

    await window.getByRole('button', { name: 'Board' }).click()
    await expect(window.getByRole('region', { name: /^Waiting/ })).toContainText('Mere Tamati')
  }
)
