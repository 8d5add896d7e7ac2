//! The catalogues, for readers and for editors.

use serde_json::json;

use super::visitor::Visitor;
use crate::browser::{start_browser, start_stack};

/// Changes a person behind the page's back.
const CHANGE: &str = r#"
    const {token} = JSON.parse(sessionStorage.session);
    const headers = {Authorization: `Bearer ${token}`, "Content-Type": "application/json"};
    return fetch("/people/100", {method: "PATCH", headers, body: '{"Nick": "D"}'}).then(({status}) => status);"#;

#[tokio::test]
async fn an_editor_creates_changes_and_deletes_a_person() {
    let Some(browser) = start_browser().await else { return };
    let stack = start_stack(None).await;
    let visitor = Visitor::enter(browser, &stack, "Cara Lindqvist").await;
    visitor.click("Catalogue").await;
    visitor.see_in(".lines", "The Harbour Lights").await;
    visitor.fill("titlePrefix", "Low").await;
    visitor.see("1 shown").await;
    visitor.click("People").await;
    visitor.see("PersonID").await;
    assert_eq!(visitor.count(".document button").await, 0);
    visitor.click("Editor").await;
    visitor.click("New").await;

    visitor.paste("text", "{").await;
    visitor.click("Save").await;
    visitor.see("The document is not JSON").await;
    visitor.paste("text", "{}").await;
    visitor.click("Save").await;
    visitor.see("The document has no key").await;
    visitor.paste("text", r#"{"PersonID": {"N": "1"}}"#).await;
    visitor.click("Save").await;
    visitor.see("Precondition failed").await;
    let document = json!({
        "PersonID": {"N": "100"}, "FirstName": {"S": "Dora"},
        "Home": {"M": {"Town": {"S": "Bristol"}, "Pets": {"N": "2"}}},
    });
    visitor.paste("text", &document.to_string()).await;
    visitor.click("Save").await;
    visitor.see("The document is saved.").await;

    visitor.fill("key", "100").await;
    visitor.click("Edit Dora").await;
    let changed = json!({
        "PersonID": {"N": "100"}, "FirstName": {"S": "Dora"},
        "Home": {"M": {"Town": {"S": "Bath"}}}, "Roles": {"SS": ["User"]},
    });
    visitor.paste("text", &changed.to_string()).await;
    visitor.click("Save").await;
    visitor.see_no("dialog").await;
    visitor.see("1 shown").await;
    visitor.see_in(".document", r#"Home {"Town":{"S":"Bath"}} M"#).await;
    visitor.see_in(".document", r#"Roles ["User"] SS"#).await;

    // Somebody else changes the document meanwhile.
    visitor.click("Edit Dora").await;
    visitor.see_element("[name=field-text]").await;
    assert_eq!(visitor.browser.run(CHANGE).await, 200);
    visitor.click("Delete").await;
    visitor.see("Precondition failed").await;
    visitor.click("Fetch it again").await;
    visitor.see_value(r#"document.querySelector("[name=field-text]")?.value.includes("Nick")"#, json!(true)).await;
    visitor.click("Delete").await;
    visitor.see("The document is deleted.").await;
    visitor.see("Nothing is found.").await;
    visitor.leave(&["/people/1?format=dynamodb - Failed", "/people/100 - Failed"]).await;
    stack.shutdown().await;
}
