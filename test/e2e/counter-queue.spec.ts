/**
 * A clerk with people waiting: a couple with many documents in one sitting, and a queue of eight who are called one by
 * one.
 */
import type { Page } from 'playwright'
import { type Clerk, decline, MERE, nameOf, type Person, sign, WIREMU } from './clerk.ts'
import { pressByKey, tabTo } from './keyboard.ts'
import { expect, test } from './office.ts'
import { PIN } from './person.ts'
import { formsFor, happened, send } from './sending.ts'

const DOCUMENTS = ['Cover letter', 'Deed of gift', 'Letter of wishes', 'Power of attorney', 'Will']
const DECLINED = 'Letter of wishes'

test('a couple signs five documents in one session; one declined by the first isn’t offered to the second', {
  tag: '@full'
}, async ({ clerk }) => {
  const { window, person } = clerk
  await send(clerk, formsFor(DOCUMENTS, [MERE, WIREMU]))
  await clerk.goTo(/^Counter/)
  const search = window.getByRole('searchbox', { name: /^Find a person/ })
  await expect(search).toBeVisible()
  await window.keyboard.type('mere tamati')
  // Someone typing ahead of a slow screen would start with a person they don't see yet.
  await expect(search).toHaveValue('mere tamati')
  await window.keyboard.press('Enter')
  await window.keyboard.press('Enter')
  await clerk.handOverAs({ isEverything: true })

  await expect(window.getByText('You have 5 documents to sign.')).toBeVisible()
  await signOneByOne(clerk, MERE, await clerk.takeScreen(MERE), DOCUMENTS)
  await expect(person.heading('Thank you, Mere Tamati')).toBeVisible()
  await person.handOn()

  await expect(window.getByText('You have 4 documents to sign.')).toBeVisible()
  const left = DOCUMENTS.filter((name) => name !== DECLINED)
  await signOneByOne(clerk, WIREMU, await person.begin(nameOf(WIREMU)), left)
  await clerk.giveBack()
  await expect(window.getByRole('heading', { name: '8 of 10 signed' })).toBeVisible()
  await expect(window.getByText('Mere Tamati declined, so nobody else can sign this document.')).toBeVisible()
  expect((await happened(clerk)).filter((what) => what === 'handed-over')).toHaveLength(2)

  await clerk.button('Back to Counter').click()
  // The screen shows who else is waiting, not the rest of the search.
  await expect(window.getByRole('searchbox')).toHaveValue('')
  await expect(window.getByRole('button', { name: /^Start: / }).first()).toBeVisible()
})

/** Signs from the first signing page to the last result, and expects the next step to be marked in between. */
async function signOneByOne({ person, window }: Clerk, who: Person, first: Page, documents: readonly string[]) {
  let page = first
  for (const [index, name] of documents.entries()) {
    if (name === DECLINED) await decline(page, 'I want to think about it.')
    else await sign(page, who)
    const next = documents[index + 1]
    if (next === undefined) return
    await expect(person.button(`Continue to ${next}`)).toBeVisible()
    await expect(window.locator('[aria-current=step]')).toContainText(next)
    page = await person.continueTo(next)
  }
}

const QUEUE: readonly Person[] = ['Aroha', 'Ben', 'Chen', 'Dita', 'Eru', 'Fale', 'Gus', 'Hana'].map((first) => ({
  first,
  last: 'Rewi',
  email: `${first.toLowerCase()}.rewi@example.com`
}))

test('eight people wait: a clerk calls them one by one with the keyboard, one is a no-show, and one comes back', {
  tag: '@full'
}, async ({ clerk }) => {
  const { window, button, person } = clerk
  const { keyboard } = window
  const [, absent] = QUEUE
  if (!absent) throw new Error('There are eight.')
  for (const one of QUEUE) await send(clerk, formsFor([`Agreement of ${one.first}`], [one]))
  await window.evaluate(
    async (people) => {
      const { appointments } = globalThis.window.countersign
      const minute = Math.floor(Date.now() / 60_000) * 60_000
      for (const [index, { name, email }] of people.entries()) {
        const saved = await appointments.add({ name, email, at: minute + (index - 9) * 60_000, minutes: 10 })
        if (!saved.ok) throw new Error(saved.error.message)
      }
    },
    QUEUE.map((one) => ({ name: nameOf(one), email: one.email }))
  )
  await clerk.goTo(/^Counter/)
  const step = (what: string, one: Person) => button(new RegExp(`^${what}: ${nameOf(one)}`))

  await tabTo(window, step('Arrived', QUEUE[0] as Person))
  for (const one of QUEUE) {
    await tabTo(window, step('Arrived', one))
    await keyboard.press('Enter')
    // The focus stays in the row, on the next step.
    await expect(window.locator(':focus')).toHaveAccessibleName(new RegExp(nameOf(one)))
  }
  await expect(window.getByRole('button', { name: /^Call: / })).toHaveCount(8)

  async function serve(one: Person, isFirst: boolean) {
    await pressByKey(window, step('Call', one))
    await expect(step('Call again', one)).toBeVisible()
    // A person who was just called is on the way.
    await expect(step('Didn’t come', one)).toHaveCount(0)
    await pressByKey(window, step('Start', one))
    if (isFirst) await clerk.choosePinWhereAsked()
    await pressByKey(window, button('Hand over screen'))
    await pressByKey(window, button(`I’m ${nameOf(one)} – start`))
    await sign(await clerk.app.waitForView(/\/sign\//), one)
    await person.heading('Thank you').waitFor()
    await keyboard.type(PIN)
    await keyboard.press('Enter')
    await expect(window.getByRole('heading', { name: `${nameOf(one)} has signed` })).toBeVisible()
    await pressByKey(window, button('Back to Counter'))
  }

  for (const [index, one] of QUEUE.entries()) {
    if (one !== absent) {
      await serve(one, index === 0)
      continue
    }
    await pressByKey(window, step('Call', one))
    await pressByKey(window, button(/^More for Ben Rewi/))
    await window.getByRole('menuitem', { name: 'Didn’t come' }).press('Enter')
    await expect(step('Call again', one)).toHaveCount(0)
    // The focus is on the next person in the queue.
    await expect(window.locator(':focus')).toHaveAccessibleName(/Chen Rewi/)
  }

  await pressByKey(window, window.locator('summary').filter({ hasText: 'Done and missed today' }))
  await pressByKey(window, button(/^Undo: Ben Rewi/))
  await pressByKey(window, step('Start', absent))
  await pressByKey(window, button('Hand over screen'))
  await pressByKey(window, button('I’m Ben Rewi – start'))
  await sign(await clerk.app.waitForView(/\/sign\//), absent)
  await clerk.giveBack()
  await expect(window.getByRole('heading', { name: 'Ben Rewi has signed' })).toBeVisible()
})
