//! A visitor of the page: what somebody in front of a browser does and sees.

use local::stack::Stack;
use serde_json::{Value, json};

use crate::browser::webdriver::Browser;

/// The keys without a character, as `WebDriver` names them.
pub(super) const TAB: &str = "\u{e004}";
pub(super) const ENTER: &str = "\u{e007}";
pub(super) const ESCAPE: &str = "\u{e00c}";
pub(super) const LEFT: &str = "\u{e012}";
pub(super) const RIGHT: &str = "\u{e014}";
/// Selects the text of a field, and deletes it: Ctrl and A, Ctrl up, Delete.
const CLEAR: &str = "\u{e009}a\u{e000}\u{e017}";

/// The maximum number of times that Tab is pressed on the way to an element.
const MAX_TABS: usize = 100;

/// The headline of the page before somebody signs in.
pub(super) const HEADLINE: &str = "See what every click asks of DynamoDB";

/// The width of a window that shows both sides of the page.
pub(super) const WIDE: u32 = 1280;

/// The height of all windows.
const HEIGHT: u32 = 800;

/// Returns the name of a control as a screen reader says it: its label, or its text without what is
/// hidden.
const NAME: &str = r#"
    const nameOf = (element) => {
      const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
      const texts = [];
      for (let text; text = walker.nextNode();) {
        if (!text.parentElement.closest("[aria-hidden=true]")) texts.push(text.data);
      }
      return element.ariaLabel ?? texts.join(" ").replace(/\s+/g, " ").trim();
    };"#;

/// Finds a control by its name. While a dialog is open, only its controls can be used.
const CONTROL: &str = r#"
    const scope = [...document.querySelectorAll("dialog[open]")].at(-1) ?? document;
    const controls = [...scope.querySelectorAll("button:enabled, a[href], summary, label, option")];
    return controls.find((control) => control.checkVisibility() && nameOf(control) === arguments[0]);"#;

/// Says whether the first element of a CSS selector shows a text. White space counts as one space.
const SHOWN: &str = r"document.querySelector(arguments[0])?.innerText.replace(/\s+/g, ' ').includes(arguments[1])";

/// Finds a field by its name, that of an open dialog first.
const FIELD: &str = r#"return [...document.querySelectorAll(`[name="field-${arguments[0]}"]`)].at(-1);"#;

/// A browser that shows the page.
pub(super) struct Visitor {
    pub(super) browser: Browser,
}

impl Visitor {
    /// Opens the page in a wide window.
    pub(super) async fn open(browser: Browser, stack: &Stack) -> Self {
        let visitor = Self { browser };
        visitor.looks(WIDE, "light").await;
        visitor.browser.go(&format!("{}/", stack.api())).await;
        visitor.see(HEADLINE).await;
        visitor
    }

    /// Opens the page and signs in as a user of the sample data.
    pub(super) async fn enter(browser: Browser, stack: &Stack, name: &str) -> Self {
        let visitor = Self::open(browser, stack).await;
        visitor.click(name).await;
        visitor.see("Sign out").await;
        visitor
    }

    /// Opens the page and creates a profile.
    pub(super) async fn join(browser: Browser, stack: &Stack, username: &str) -> Self {
        let visitor = Self::open(browser, stack).await;
        visitor.click("Somebody new, an editor or a moderator").await;
        visitor.fill("username", username).await;
        visitor.fill("name", "Dora Okafor").await;
        visitor.click("Create the profile").await;
        visitor.see("Nothing here yet").await;
        visitor
    }

    /// Changes the width of the window, and the color scheme that the visitor prefers: `light` or
    /// `dark`.
    pub(super) async fn looks(&self, width: u32, scheme: &str) {
        let window = json!({"width": width, "height": HEIGHT, "deviceScaleFactor": 1, "mobile": false});
        self.browser.devtools("Emulation.setDeviceMetricsOverride", window).await;
        let features = [("prefers-color-scheme", scheme), ("prefers-reduced-motion", "reduce")];
        let features = features.map(|(name, value)| json!({"name": name, "value": value}));
        self.browser.devtools("Emulation.setEmulatedMedia", json!({"features": features})).await;
    }

    /// Goes to a view of the app, such as `#/feed`.
    pub(super) async fn visit(&self, view: &str) {
        self.browser.call("location.hash = arguments[0]", json!([view])).await;
    }

    /// Searches people, and waits until the view shows what is found instead of suggestions.
    pub(super) async fn search(&self, query: &str) {
        self.visit("#/people").await;
        self.see_in("h1", "Find people").await;
        self.fill("q", query).await;
        self.see_in("form[role=search] ~ [role=status]", " result").await;
    }

    /// Clicks the button, link or label with this name.
    pub(super) async fn click(&self, name: &str) {
        self.browser.act("click", json!({}), &format!("{NAME}{CONTROL}"), json!([name])).await;
    }

    /// Clicks the first control whose name begins with this text.
    pub(super) async fn click_beginning(&self, name: &str) {
        let control = CONTROL.replace("nameOf(control) === arguments[0]", "nameOf(control).startsWith(arguments[0])");
        self.browser.act("click", json!({}), &format!("{NAME}{control}"), json!([name])).await;
    }

    /// Types a value into the field with this name, in place of what it has.
    pub(super) async fn fill(&self, name: &str, value: &str) {
        self.browser.act("value", json!({"text": format!("{CLEAR}{value}")}), FIELD, json!([name])).await;
    }

    /// Puts a text into the field with this name at once.
    pub(super) async fn paste(&self, name: &str, text: &str) {
        self.browser.act("clear", json!({}), FIELD, json!([name])).await;
        self.browser.act("value", json!({"text": text}), FIELD, json!([name])).await;
    }

    /// Chooses an option of the field with this name, with the events of a browser. `ChromeDriver`
    /// sends no `input`.
    pub(super) async fn choose(&self, field: &str, option: &str) {
        let script = r#"const select = document.querySelector(`[name="field-${arguments[0]}"]`);
            const option = [...select?.options ?? []].find(({text}) => text === arguments[1]);
            if (!option) return null;
            option.selected = true;
            for (const type of ["input", "change"]) select.dispatchEvent(new Event(type, {bubbles: true}));
            return true;"#;
        self.browser.wait_for(script, json!([field, option])).await;
    }

    /// Waits until the page shows this text.
    pub(super) async fn see(&self, text: &str) {
        self.see_in("body", text).await;
    }

    /// Waits until the first element of this CSS selector shows this text. White space counts as
    /// one space.
    pub(super) async fn see_in(&self, selector: &str, text: &str) {
        self.browser.wait_for(&format!("return {SHOWN} || null"), json!([selector, text])).await;
    }

    /// Returns whether the first element of this CSS selector shows this text now.
    pub(super) async fn shows(&self, selector: &str, text: &str) -> bool {
        self.browser.call(&format!("return Boolean({SHOWN})"), json!([selector, text])).await == true
    }

    /// Waits until an element of this CSS selector is there.
    pub(super) async fn see_element(&self, selector: &str) {
        self.browser.wait_for("return document.querySelector(arguments[0]) && true", json!([selector])).await;
    }

    /// Waits until no element of this CSS selector is there.
    pub(super) async fn see_no(&self, selector: &str) {
        self.browser.wait_for("return document.querySelector(arguments[0]) ? null : true", json!([selector])).await;
    }

    /// Returns the number of elements of this CSS selector.
    pub(super) async fn count(&self, selector: &str) -> u64 {
        let number =
            self.browser.call("return document.querySelectorAll(arguments[0]).length", json!([selector])).await;
        number.as_u64().unwrap()
    }

    /// Returns the name of the element that has the focus.
    pub(super) async fn focused(&self) -> String {
        let name = self.browser.run(&format!("{NAME} return nameOf(document.activeElement);")).await;
        name.as_str().unwrap().to_owned()
    }

    /// Moves the focus forward by the Tab key until it is on the element with this name.
    pub(super) async fn tab_to(&self, name: &str) {
        self.tab_until(name, &format!("{NAME} return nameOf(document.activeElement) === arguments[0]")).await;
    }

    /// Moves the focus forward by the Tab key until it is on an element of this CSS selector.
    pub(super) async fn tab_to_element(&self, selector: &str) {
        self.tab_until(selector, "return document.activeElement.matches(arguments[0])").await;
    }

    async fn tab_until(&self, target: &str, script: &str) {
        let mut passed = vec![];
        while passed.len() < MAX_TABS {
            self.browser.press(TAB).await;
            if self.browser.call(script, json!([target])).await == true {
                return;
            }
            passed.push(self.focused().await);
        }
        panic!("Tab does not reach {target:?}, but {passed:?}");
    }

    /// Closes the window. Checks that the console has no error and no warning but these, each of
    /// which is there: parts of the messages, such as the path and the status of an answer to bad
    /// input.
    pub(super) async fn leave(self, expected: &[&str]) {
        self.leave_with(expected, &[]).await;
    }

    /// Closes the window like [`leave`](Self::leave), after the stack or the profile was gone for a while. What the
    /// live connection and the bell say of it may be there.
    pub(super) async fn leave_after_a_pause(self, expected: &[&str]) {
        let of_live = [
            "/local/live?",
            "/screens/",
            "include=counts",
            "The stack cannot be reached",
            "all processes of the function are busy",
            "Nobody is signed in",
            "You have no profile",
        ];
        self.leave_with(expected, &of_live).await;
    }

    /// Closes the window like [`leave`](Self::leave). Messages with one of the parts `possible` may
    /// be there.
    pub(super) async fn leave_with(self, expected: &[&str], possible: &[&str]) {
        let mut console = self.browser.console().await;
        for part in expected {
            let before = console.len();
            console.retain(|message| !message.contains(part));
            assert!(console.len() < before, "no message with {part:?} in {console:#?}");
        }
        console.retain(|message| !possible.iter().any(|part| message.contains(part)));
        assert!(console.is_empty(), "{console:#?}");
    }

    /// Waits until this expression of JavaScript has this value.
    pub(super) async fn see_value(&self, expression: &str, value: Value) {
        let script = format!("return JSON.stringify({expression}) === JSON.stringify(arguments[0]) || null");
        self.browser.wait_for(&script, json!([value])).await;
    }
}
