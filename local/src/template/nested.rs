//! The nested stacks of a template: resources of the types
//! [`AWS::Serverless::Application`](https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/sam-resource-application.html)
//! and
//! [`AWS::CloudFormation::Stack`](https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-cloudformation-stack.html),
//! whose templates are files beside the template.

use std::fs;
use std::path::Path;
use std::rc::Rc;

use anyhow::{Context as _, Result};

use crate::template::cloudformation::{Document, Node, Parameters, get, property};
use crate::template::parameters;

impl Document {
    /// Reads the template in a file, with these values of its parameters.
    pub(super) fn read(path: &Path, parameters: Parameters) -> Result<Self> {
        let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        Self::parse(&path.display().to_string(), &text, parameters)
    }

    /// Returns the template of a nested stack with the parameters that this template passes.
    pub(super) fn nested(&self, id: &str, stack: &Node) -> Result<Rc<Self>> {
        if let Some(nested) = self.nested.borrow().get(id) {
            return Ok(Rc::clone(nested));
        }
        let location = property(stack, "Location").or_else(|| property(stack, "TemplateURL"));
        let location = location.ok_or_else(|| self.error(stack, format!("{id} is no nested stack")))?;
        let mut parameters = Parameters::new();
        for (name, value) in self.entries(property(stack, "Parameters")) {
            if self.resolve(value)?.is_some() {
                parameters.insert(name.to_owned(), self.text(value)?);
            }
        }
        let path = Path::new(&self.file).with_file_name("").join(self.text(location)?);
        let nested = Rc::new(Self::read(&path, parameters)?);
        parameters::check(&nested)?;
        self.nested.borrow_mut().insert(id.to_owned(), Rc::clone(&nested));
        Ok(nested)
    }

    /// Returns the value of an output, if the template has it.
    pub(super) fn output(&self, name: &str) -> Option<Result<String>> {
        let value = self.section("Outputs").and_then(|all| get(all, name)).and_then(|output| get(output, "Value"));
        value.map(|value| self.text(value))
    }
}
