/** What a clerk does on the screens, and a signer on a signing page, by the names they read there. */
import type { Locator, Page } from 'playwright'
import type { Launched } from './launch.ts'
import { confirmByVideo, PIN, personAt, startCamera } from './person.ts'

export interface Person {
  first: string
  last: string
  email: string
  faceToFace?: boolean
  /** A question that identifies a person without a mobile phone, and its answer (Form Direct). */
  identity?: { question: string; answer: string }
  /** A camera picture before signing; with a detector it can't be left out. */
  video?: 'may be left out' | 'with a detector'
}

export const MERE: Person = { first: 'Mere', last: 'Tamati', email: 'mere.tamati@example.com' }
export const WIREMU: Person = { first: 'Wiremu', last: 'Ngata', email: 'wiremu.ngata@example.com' }

/** What a clerk ticks before handing over the screen. */
export interface HandoverChoices {
  /** The same person's other documents, and the document's other signers, by name. */
  also?: readonly string[]
  /** Everything that they and the people with them can sign. */
  isEverything?: boolean
  /** Lines of the office's checklist. */
  checklist?: readonly string[]
  allowsCamera?: boolean
}

export type Clerk = ReturnType<typeof clerkAt>

/** Returns what a clerk does in a launched application. */
export function clerkAt(app: Launched) {
  const { window } = app
  const button = (name: string | RegExp) => window.getByRole('button', { name })
  const screens = window.getByRole('navigation', { name: 'Screens' })
  const person = personAt(app, window)

  async function goTo(name: string | RegExp): Promise<void> {
    const link = screens.getByRole('link', { name }).first()
    await link.click()
    // The address changes before the screen does, so this waits until later steps find the new screen.
    await link.and(window.locator('[aria-current]')).waitFor()
  }

  /** Adds signers until there are as many as `people`, and fills them in. */
  async function nameSigners(people: readonly Person[]): Promise<void> {
    for (const [index, person] of people.entries()) {
      if (index > 0 && (await signerCards().count()) <= index) await button('Add a signer').click()
      const card = signerCards().nth(index)
      await card.getByLabel('First name').fill(person.first)
      await card.getByLabel('Last name').fill(person.last)
      await card.getByLabel('E-mail', { exact: true }).fill(person.email)
      if (person.faceToFace) await card.getByLabel('Face to face').check()
      if (person.identity) await askIdentity(card, person.identity)
    }
  }

  /** The dialog before the screen is handed over. The person's side is a dialog of its own. */
  const sheet = window.getByRole('dialog', { name: /Confirm who is signing|Choose a staff PIN/ })

  const signerCards = () => window.getByRole('group').filter({ has: window.getByLabel('First name') })

  async function askIdentity(card: Locator, identity: NonNullable<Person['identity']>): Promise<void> {
    await card.getByLabel('No mobile phone').click()
    await card.getByLabel('Question', { exact: true }).fill(identity.question)
    await card.getByLabel('Correct answer').fill(identity.answer)
  }

  return {
    app,
    window,
    button,
    goTo,

    /** Waits for the first screen, whichever it is. */
    async arrive(): Promise<void> {
      await window.locator('html[data-app-state=loaded]').waitFor()
    },

    /** First run: opens the practice office. */
    async choosePracticeOffice(): Promise<void> {
      await button(/Open the practice office/).click()
      await screens.waitFor()
    },

    /**
     * First run: connects a service that accepts the tests' token.
     * @param timeout how long the screens may take to show, in milliseconds
     */
    async connectTo(address: string, timeout?: number): Promise<void> {
      await button(/Connect your office/).click()
      await window.getByLabel('Name', { exact: true }).fill('Harbour Law')
      await window.getByLabel('Service address').fill(address)
      await window
        .getByLabel(/Bearer token/)
        .first()
        .check()
      await window.getByLabel('Token', { exact: true }).fill('made-up-token-1')
      await button(/^Add|^Connect/).click()
      await screens.waitFor(timeout === undefined ? {} : { timeout })
    },

    /** Settings → Office: joins an office with a code from its administrator. */
    async joinOffice(
      { host, port, database }: { host: string; port: number; database: string },
      code: string
    ): Promise<void> {
      await goTo('Settings')
      await button('Join an office…').click()
      for (const [label, value] of [
        ['Server', host],
        ['Port', String(port)],
        ['Database', database],
        ['Join code', code]
      ] as const)
        await window.getByLabel(label, { exact: true }).fill(value)
      await button('Join').and(window.locator('[type=submit]')).click()
      await window.getByText('Connected to the office').waitFor()
    },

    /** Composes a Form Direct package of one form, complete but not sent. */
    async composeForm(form: { name: string; people: readonly Person[]; embedded?: boolean }): Promise<void> {
      await goTo('New package')
      await button(/^Forms/).click()
      await window.getByLabel('Name', { exact: true }).fill(form.name)
      await window.getByLabel('Reference', { exact: true }).fill('FORM-1')
      await window.getByLabel('Form type').fill('1')
      await nameSigners(form.people)
      if (form.embedded) await window.getByLabel('Sign in this application').check()
    },

    /** Composes a Form Filler package of one template from the office's list, complete but not sent. */
    async composeTemplate(template: {
      name: string
      people: readonly Person[]
      embedded?: boolean
      inOrder?: boolean
    }): Promise<void> {
      await goTo('New package')
      await window.getByRole('option', { name: template.name }).or(button(template.name)).first().click()
      await nameSigners(template.people)
      if (template.embedded) await window.getByLabel('Sign in this application').check()
      if (template.inOrder) await window.getByLabel('Signers sign in order').check()
    },

    /** Puts the package in the outbox, where its send can be undone for a while. */
    async putInOutbox(): Promise<void> {
      await button(/^Send \d+ (form|document)s?$/).click()
      await button('Send now').waitFor()
    },

    /** Sends the package without the time to undo it. */
    async send(): Promise<void> {
      await this.putInOutbox()
      await button('Send now').click()
    },

    async openFolder(folder: 'InBox' | 'Progress' | 'Signed'): Promise<void> {
      await goTo(/^Documents/)
      await goTo(new RegExp(`^${folder}`))
    },

    /** Opens a document of the current folder. */
    async openDocument(name: string): Promise<void> {
      await window.getByRole('row', { name }).first().dblclick()
      await window.getByRole('heading', { name, level: 2 }).first().waitFor()
    },

    /** The person's side, if this window shows it. */
    person,

    /** From the queue to the sheet that confirms who is signing, for this document only. */
    async openSheet(signer: Person, document: string): Promise<void> {
      await goTo(/^Counter/)
      // A person with several documents has one row; searching for the document's name leaves only that one.
      await window.getByRole('searchbox', { name: /^Find a person/ }).fill(`${signer.last} ${document}`)
      await button(`Start: ${nameOf(signer)}, ${document}`).click()
    },

    /** In that sheet: chooses a PIN if asked, which happens the first time on a workstation. */
    async choosePinWhereAsked(): Promise<void> {
      const savePin = sheet.getByRole('button', { name: 'Save PIN' })
      const handOver = sheet.getByRole('button', { name: 'Hand over screen' }).and(window.locator(':enabled'))
      await savePin.or(handOver).first().waitFor()
      if (!(await savePin.isVisible())) return
      await sheet.getByLabel('New PIN').fill(PIN)
      await sheet.getByLabel('Confirm PIN').fill(PIN)
      await savePin.click()
      await handOver.waitFor()
    },

    /** From that sheet to the handover screen. */
    async handOverAs(handing: HandoverChoices = {}): Promise<void> {
      await this.choosePinWhereAsked()
      if (handing.isEverything) await sheet.getByRole('button', { name: 'Select all' }).click()
      for (const name of [...(handing.checklist ?? []), ...(handing.also ?? [])])
        await sheet.getByRole('checkbox', { name }).first().check()
      if (handing.allowsCamera) await sheet.getByRole('checkbox', { name: /Allow camera and microphone/ }).check()
      await sheet.getByRole('button', { name: 'Hand over screen' }).click()
      await sheet.waitFor({ state: 'hidden' })
    },

    /** From the queue to the handover screen. */
    async beginTurn(signer: Person, document: string, handing?: HandoverChoices): Promise<void> {
      await this.openSheet(signer, document)
      await this.handOverAs(handing)
      await button(`I’m ${nameOf(signer)} – start`).waitFor()
    },

    /** From the handover screen to the signing page in the signer's hands. */
    takeScreen: (signer: Person): Promise<Page> => person.begin(nameOf(signer)),

    /** From the queue to the signing page in the signer's hands. */
    async handOver(signer: Person, document: string, handing?: HandoverChoices): Promise<Page> {
      await this.beginTurn(signer, document, handing)
      return this.takeScreen(signer)
    },

    /** From the outcome to the signing page of the document's next signer. */
    async handOverToNext(signer: Person): Promise<Page> {
      await button(`Next: ${nameOf(signer)}`).click()
      await this.handOverAs()
      return this.takeScreen(signer)
    },

    /** The person gives the screen back, and the clerk sees the result. */
    async giveBack(): Promise<void> {
      await person.giveBack()
      await window.getByRole('heading', { name: 'Result', exact: true }).waitFor()
    },

    async chooseDownloadFolder(folder: string): Promise<void> {
      await app.dialog.answerOpen([folder])
      await goTo('Settings')
      await button('Change…').click()
    }
  }
}

/** Returns a person's name as the screens show it. */
export function nameOf(person: Person): string {
  return `${person.first} ${person.last}`
}

/** Signs on a practice signing page, through all its steps; if one needs the camera, staff has allowed it. */
export async function sign(page: Page, person: Person): Promise<void> {
  const step = (id: string) => page.getByTestId(id)
  const steps = ['identity-continue', 'video-continue', 'review-continue', 'sign']
  for (;;) {
    await page
      .locator(steps.map((id) => `[data-testid=${id}]`).join(', '))
      .first()
      .waitFor()
    if (await step('identity-continue').isVisible()) {
      await step('answer-0').fill(person.identity?.answer ?? '')
      await step('identity-continue').click()
    } else if (await step('video-continue').isVisible()) {
      await startCamera(page)
      await confirmByVideo(page)
    } else if (await step('review-continue').isVisible()) {
      await fillWhatIsNeeded(page)
      await step('review-continue').click()
    } else break
  }
  await fillWhatIsNeeded(page)
  await step('signature-name').fill(`${person.first} ${person.last}`)
  await step('agree').check()
  await step('sign').click()
}

/** Declines on a practice signing page. */
export async function decline(page: Page, reason: string): Promise<void> {
  await page.getByTestId('decline-open').click()
  await page.getByTestId('decline-reason').fill(reason)
  await page.getByTestId('decline').click()
}

async function fillWhatIsNeeded(page: Page): Promise<void> {
  for (const control of await page.locator(':is(input, select, textarea)[name^="field-"][required]').all()) {
    const kind = await control.evaluate((element) => `${element.tagName} ${element.getAttribute('type') ?? ''}`)
    if (/checkbox|radio/.test(kind)) await control.check()
    else if (/SELECT/.test(kind)) await control.selectOption({ index: 1 })
    else if (/date/.test(kind)) await control.fill('1990-04-12')
    else if ((await control.inputValue()) === '') await control.fill('42')
  }
}
